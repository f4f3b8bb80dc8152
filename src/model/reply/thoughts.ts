/** The tags between which reasoning models put their thoughts, in the midst of their text. */
const opening = /<think(?:ing)?>/i;
const closing = /<\/think(?:ing)?>/i;
/** What decides whether a tag is a tag: tags, and fences of code, in which they are mentioned. */
const marks = /```|<(\/?)think(?:ing)?>/gi;
const longestMark = '</thinking>'.length;
/** The start of a possible tag at the end of a chunk. */
const partialTag = /<\/?[a-z]{0,8}$/i;

type Filter = {
  /** Returns the text that may be emitted now, beyond what was returned before. */
  push(delta: string): string;
  /** Returns the rest, at the end of the input. */
  end(): string;
};

/**
 * Removes a model's thoughts from streamed text. An unclosed thought extends to the end. A tag after a backtick is
 * merely mentioned, and is kept. `begun`: the text may start inside a thought, so nothing is emitted until that is
 * known.
 */
export function createThoughtFilter({ begun = false } = {}): Filter {
  return begun ? createStartFilter() : createTagFilter();
}

/** Holds a reply back while its start may belong to a thought that the chat template opened. */
function createStartFilter(): Filter {
  const filter = createTagFilter();
  const begin = new AnswerStart();
  let buffered: string | null = '';
  const read = (ended: boolean): string => {
    if (buffered === null) return '';
    const start = begin.find(buffered, ended);
    if (start === null) return '';
    const answer = buffered.slice(start);
    buffered = null;
    return filter.push(answer);
  };
  return {
    push(delta) {
      if (buffered === null) return filter.push(delta);
      buffered += delta;
      return read(false);
    },
    end: () => read(true) + filter.end(),
  };
}

/** Returns the index at which the answer starts in a complete text, or in its beginning; null while undecided. */
export const startOfAnswer = (text: string, ended: boolean): number | null => new AnswerStart().find(text, ended);

/**
 * Finds where the answer starts in a growing text, in time linear to its length: after the first closing tag that has
 * no opening one and is at the start or end of a line; at 0 if there is none. A tag in code or in the middle of a line
 * is merely mentioned.
 */
class AnswerStart {
  /** How far marks have been read. */
  #read = 0;
  #isFenced = false;
  /** The end of a closing tag that ends its line if a line break follows, and how far only spaces do. */
  #open: { end: number; blankTo: number } | null = null;

  /** `text` begins with what was given before. Null while undecided. */
  find(text: string, ended: boolean): number | null {
    for (;;) {
      if (this.#open) {
        const decided = this.#endsLine(text, this.#open, ended);
        if (decided !== false) return decided;
        this.#open = null;
      }
      marks.lastIndex = this.#read;
      const found = marks.exec(text);
      if (!found) break;
      const { index, 0: mark, 1: slash } = found;
      this.#read = index + mark.length;
      if (mark === '```') this.#isFenced = !this.#isFenced;
      else if (!slash) return 0;
      else if (!this.#isFenced && text[index - 1] !== '`') {
        if (beginsLine(text, index)) return this.#read;
        this.#open = { end: this.#read, blankTo: this.#read };
      }
    }
    // A mark may be incomplete at the end.
    this.#read = Math.max(this.#read, text.length - longestMark);
    return ended ? 0 : null;
  }

  /** The end of the tag, null while undecided, or false if more than spaces follow on its line. */
  #endsLine(text: string, open: { end: number; blankTo: number }, ended: boolean): number | null | false {
    while (text[open.blankTo] === ' ' || text[open.blankTo] === '\t') open.blankTo++;
    if (text[open.blankTo] === '\n') return open.end;
    if (/\S/.test(text.slice(open.blankTo))) return false;
    return ended ? open.end : null;
  }
}

/** Whether only spaces precede an index on its line. */
function beginsLine(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  return start === 0 || text[start - 1] === '\n';
}

function createTagFilter(): Filter {
  let buffered = '';
  let thinking = false;
  let last = '';
  const read = (ended: boolean): string => {
    let output = '';
    const emit = (text: string) => {
      output += text;
      last = text.at(-1) ?? last;
    };
    for (;;) {
      const tag = (thinking ? closing : opening).exec(buffered);
      if (!tag) break;
      const before = buffered.slice(0, tag.index);
      const following = buffered.slice(tag.index + tag[0].length);
      if (thinking) thinking = false;
      else if ((before.at(-1) ?? last) === '`') emit(before + tag[0]);
      else {
        emit(before);
        thinking = true;
      }
      buffered = following;
    }
    const open = ended ? buffered.length : (partialTag.exec(buffered)?.index ?? buffered.length);
    if (!thinking) emit(buffered.slice(0, open));
    buffered = buffered.slice(open);
    return output;
  };
  return {
    push(delta) {
      buffered += delta;
      return read(false);
    },
    end: () => read(true),
  };
}

/** Removes the thoughts from a complete text. */
export function withoutThoughts(text: string): string {
  const filter = createThoughtFilter({ begun: true });
  return filter.push(text) + filter.end();
}

/** The tags between which reasoning models put their thoughts, in the midst of their text. */
const opening = /<think(?:ing)?>/i;
const closing = /<\/think(?:ing)?>/i;
/** What decides whether a tag is a tag: tags, and fences of code, in which they are mentioned. */
const marks = /```|<(\/?)think(?:ing)?>/gi;
/** What may follow a tag that ends its line. */
const blank = /[^\S\n]*/y;
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
  let held: string[] | null = [];
  const read = (delta: string, ended: boolean): string => {
    if (held === null) return filter.push(delta);
    held.push(delta);
    const start = begin.find(delta, ended);
    if (start === null) return '';
    const answer = held.join('').slice(start);
    held = null;
    return filter.push(answer);
  };
  return {
    push: (delta) => read(delta, false),
    end: () => read('', true) + filter.end(),
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
  /** The end of what was given, in which a mark may begin, and where in the whole it does. */
  #tail = '';
  #offset = 0;
  /** What is before it: the last character, and whether its line has had spaces only. */
  #last = '';
  #isBlank = true;
  #isFenced = false;
  /** The end, in the whole, of a closing tag that ends its line if a line break follows: only spaces have so far. */
  #open: number | null = null;

  /** `delta` follows what was given before. Null while undecided. */
  find(delta: string, ended: boolean): number | null {
    const text = this.#tail + delta;
    let read = 0;
    for (;;) {
      if (this.#open !== null) {
        blank.lastIndex = read;
        read += blank.exec(text)?.[0].length ?? 0;
        if (text[read] === '\n' || (ended && read === text.length)) return this.#open;
        if (read === text.length) break;
        this.#open = null;
      }
      marks.lastIndex = read;
      const found = marks.exec(text);
      if (!found) break;
      const { index, 0: mark, 1: slash } = found;
      read = index + mark.length;
      if (mark === '```') this.#isFenced = !this.#isFenced;
      else if (!slash) return 0;
      else if (!this.#isFenced && (text[index - 1] ?? this.#last) !== '`') {
        if (this.#isBlankUntil(text, index)) return this.#offset + read;
        this.#open = this.#offset + read;
      }
    }
    this.#leave(text, Math.max(read, text.length - longestMark));
    return ended ? 0 : null;
  }

  /** Whether only spaces precede an index on its line. */
  #isBlankUntil(text: string, index: number): boolean {
    let start = index;
    while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
    return start === 0 ? this.#isBlank : text[start - 1] === '\n';
  }

  /** Keeps of a text what follows an index. */
  #leave(text: string, index: number): void {
    this.#isBlank = this.#isBlankUntil(text, index);
    this.#last = text[index - 1] ?? this.#last;
    this.#offset += index;
    this.#tail = text.slice(index);
  }
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

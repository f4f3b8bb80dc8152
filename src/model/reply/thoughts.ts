/** The tags between which reasoning models put their thoughts, in the midst of their text. */
const opening = /<think(?:ing)?>/i;
const closing = /<\/think(?:ing)?>/i;
const closings = new RegExp(closing, 'gi');
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
  let buffered: string | null = '';
  const read = (ended: boolean): string => {
    if (buffered === null) return '';
    const start = startOfAnswer(buffered, ended);
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

/**
 * Returns the index at which the answer starts: after the first closing tag that has no opening one and is at the start
 * or end of a line; 0 if there is none. A tag in code or in the middle of a line is merely mentioned. Null while
 * undecided.
 */
export function startOfAnswer(text: string, ended: boolean): number | null {
  const opened = opening.exec(text)?.index ?? text.length;
  for (const { 0: tag, index } of text.slice(0, opened).matchAll(closings)) {
    const before = text.slice(0, index);
    const end = index + tag.length;
    const following = text.slice(end);
    if (before.endsWith('`') || before.split('```').length % 2 === 0) continue;
    if (/(^|\n)[ \t]*$/.test(before) || /^[ \t]*\n/.test(following)) return end;
    if (following.trim() === '') return ended ? end : null;
  }
  return ended || opened < text.length ? 0 : null;
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

/** What reasoning models write to themselves stands between such tags, in the midst of their text. */
const opening = /<think(?:ing)?>/i;
const closing = /<\/think(?:ing)?>/i;
/** An end of text that may become a tag with what follows. */
const half = /<\/?[a-z]{0,8}$/i;

type Filter = {
  /** What of the text so far may be told, beyond what was told before. */
  push(delta: string): string;
  /** The rest: nothing follows. */
  end(): string;
};

/**
 * Takes the thoughts of a model out of its text, which comes in pieces of any size. One that is never closed goes to the
 * end. A tag behind a backtick is spoken of, and stays.
 */
export function createThoughtFilter(): Filter {
  let held = '';
  let thinking = false;
  let last = '';
  const read = (ended: boolean): string => {
    let told = '';
    const tell = (text: string) => {
      told += text;
      last = text.at(-1) ?? last;
    };
    for (;;) {
      const tag = (thinking ? closing : opening).exec(held);
      if (!tag) break;
      const before = held.slice(0, tag.index);
      const behind = held.slice(tag.index + tag[0].length);
      if (thinking) thinking = false;
      else if ((before.at(-1) ?? last) === '`') tell(before + tag[0]);
      else {
        tell(before);
        thinking = true;
      }
      held = behind;
    }
    const open = ended ? held.length : (half.exec(held)?.index ?? held.length);
    if (!thinking) tell(held.slice(0, open));
    held = held.slice(open);
    return told;
  };
  return {
    push(delta) {
      held += delta;
      return read(false);
    },
    end: () => read(true),
  };
}

/** A whole text without the thoughts in it. */
export function withoutThoughts(text: string): string {
  const filter = createThoughtFilter();
  return filter.push(text) + filter.end();
}

/** What reasoning models write to themselves stands between such tags, in the midst of their text. */
const opening = /<think(?:ing)?>/i;
const closing = /<\/think(?:ing)?>/i;
const closings = new RegExp(closing, 'gi');
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
 * end. A tag behind a backtick is spoken of, and stays. `begun`: the text may begin within a thought, so that nothing of it
 * is told before that is known.
 */
export function createThoughtFilter({ begun = false } = {}): Filter {
  return begun ? createHolder() : createTagFilter();
}

/** Holds a reply back while its beginning may be a thought that the model's template opened. */
function createHolder(): Filter {
  const filter = createTagFilter();
  let held: string | null = '';
  const read = (ended: boolean): string => {
    if (held === null) return '';
    const start = startOfAnswer(held, ended);
    if (start === null) return '';
    const answer = held.slice(start);
    held = null;
    return filter.push(answer);
  };
  return {
    push(delta) {
      if (held === null) return filter.push(delta);
      held += delta;
      return read(false);
    },
    end: () => read(true) + filter.end(),
  };
}

/**
 * Where the answer of a reply begins: behind the first tag that closes what none opened, at the beginning or the end of a
 * line; else with the reply. Such a tag in code, or in the midst of a line, is spoken of. Null while that cannot be told.
 */
export function startOfAnswer(text: string, ended: boolean): number | null {
  const opened = opening.exec(text)?.index ?? text.length;
  for (const { 0: tag, index } of text.slice(0, opened).matchAll(closings)) {
    const before = text.slice(0, index);
    const end = index + tag.length;
    const behind = text.slice(end);
    if (before.endsWith('`') || before.split('```').length % 2 === 0) continue;
    if (/(^|\n)[ \t]*$/.test(before) || /^[ \t]*\n/.test(behind)) return end;
    if (behind.trim() === '') return ended ? end : null;
  }
  return ended || opened < text.length ? 0 : null;
}

function createTagFilter(): Filter {
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
  const filter = createThoughtFilter({ begun: true });
  return filter.push(text) + filter.end();
}

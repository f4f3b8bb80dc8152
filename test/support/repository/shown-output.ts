type Options = {
  /** Whether numbers that stand alone may be others: those of the demo's history are other ones each day. */
  anyNumber?: boolean;
};

/**
 * Returns what a page shows under a command that is not in the real output, in its order; null if all of it is. `…`
 * stands for whatever the page leaves out. Ids and times may be others, and line breaks and spaces are the page's own.
 */
export function firstDifference(shown: string, real: string, options: Options = {}): string | null {
  const parts = plain(shown, options).split('…');
  const text = plain(real, options);
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const at = isLast && part ? Math.max(text.lastIndexOf(part), -1) : text.indexOf(part, from);
    const isInPlace = at >= from && (index > 0 || at === 0) && (!isLast || !part || at + part.length === text.length);
    if (!isInPlace) return part;
    from = at + part.length;
  }
  return parts.at(-1) === '' || from === text.length ? null : text.slice(from);
}

function plain(text: string, { anyNumber = false }: Options): string {
  const constant = text
    .replaceAll(/\b([a-z]{3})_[0-9a-z]{26}\b/g, '$1_<id>')
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ][\d:]+(?:\.\d+)?Z?/g, '<time>')
    .replaceAll(/\b1\d{9}\b/g, '<time>')
    .replaceAll(/\s+/g, '');
  return anyNumber ? constant.replaceAll(/(?<=[:,a-z])\d+(?=[,}\]…A-Z]|$)/g, '<number>') : constant;
}

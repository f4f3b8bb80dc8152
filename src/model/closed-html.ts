const voids = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr', 'col', 'source', 'area', 'base', 'embed']);

/** The beginning of a text of HTML up to the last place where no tag is open: what follows cannot change it. */
export function closedPart(html: string): string {
  let depth = 0;
  let end = 0;
  for (const { 0: tag, 1: closing, 2: name = '', index } of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/gi)) {
    if (voids.has(name.toLowerCase()) || tag.endsWith('/>')) continue;
    depth += closing ? -1 : 1;
    if (depth <= 0) {
      depth = 0;
      end = index + tag.length;
    }
  }
  return html.slice(0, end);
}

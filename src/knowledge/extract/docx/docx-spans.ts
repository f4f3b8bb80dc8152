/**
 * Replaces each outermost element of a given name. `write` is passed the element, or only its start tag if it is empty.
 * Unclosed elements are kept. Runs in linear time, whatever the XML contains.
 */
export function replaceElements(xml: string, name: string, write: (element: string) => string): string {
  const tags = new RegExp(`<(/?)${name}(?=[\\s/>])[^<>]*>`, 'g');
  const parts: string[] = [];
  let kept = 0;
  let start = 0;
  let depth = 0;
  for (const { 0: tag, 1: closes, index } of xml.matchAll(tags)) {
    const isEmpty = !closes && tag.endsWith('/>');
    if (closes && depth === 0) continue;
    if (depth === 0) start = index;
    depth += closes ? -1 : isEmpty ? 0 : 1;
    if (depth > 0) continue;
    const end = index + tag.length;
    parts.push(xml.slice(kept, start), write(xml.slice(start, end)));
    kept = end;
  }
  return parts.join('') + xml.slice(kept);
}

/** Returns the outermost elements of a given name. */
export function findElements(xml: string, name: string): string[] {
  const found: string[] = [];
  replaceElements(xml, name, (element) => {
    found.push(element);
    return '';
  });
  return found;
}

export const escapeXml = (text: string): string =>
  text.replace(/[<>&]/g, (letter) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[letter] ?? letter);

import { scriptDigits } from '../script-digits.ts';

const list = (names: string) => new Set(names.split(' '));
const skipped = list(
  // What is struck out does not hold any more.
  'head title script style noscript template iframe object svg math canvas audio video form button select input textarea nav dialog rt rp del s strike',
);
const inline = list(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb ruby s samp small span strike strong sub sup time tt u var wbr',
);

/** The name of an element in lower case; parsers differ. */
export const nameOf = (element: Element): string => element.localName.toLowerCase();

/** Whether an element is inline, i.e. does not start a new line. */
export const isInline = (name: string): boolean => inline.has(name);

/** Whether an element's content is not part of the page's text: scripts, forms, menus and hidden elements. */
export function isLeftOut(element: Element): boolean {
  return (
    skipped.has(nameOf(element)) ||
    element.hasAttribute('hidden') ||
    element.getAttribute('aria-hidden') === 'true' ||
    ['navigation', 'search', 'menu', 'dialog'].includes(element.getAttribute('role') ?? '') ||
    (/^(header|footer)$/i.test(element.localName) && element.parentElement?.localName.toLowerCase() === 'body')
  );
}

/** The number in a `<sup>` or `<sub>` as it is shown; null for anything else. */
export function raisedOf(element: Element): string | null {
  const name = nameOf(element);
  return name === 'sup' || name === 'sub' ? scriptDigits(textIn(element), name) : null;
}

function textIn(node: Node): string {
  if (node.nodeType === 3) return node.textContent ?? '';
  if (node.nodeType !== 1 || isLeftOut(node as Element)) return '';
  return [...node.childNodes].map(textIn).join('');
}

/** The text of an element on one line, with spaces between its blocks. */
export function lineOf(element: Element): string {
  let line = '';
  const walk = (node: Node): void => {
    if (node.nodeType === 3) line += node.textContent ?? '';
    if (node.nodeType !== 1 || isLeftOut(node as Element)) return;
    const name = nameOf(node as Element);
    if (name === 'img') line += (node as Element).getAttribute('alt') ?? '';
    const raised = raisedOf(node as Element);
    if (raised !== null) {
      line += raised;
      return;
    }
    const edge = isInline(name) || name === 'img' ? '' : ' ';
    line += edge;
    for (const child of node.childNodes) walk(child);
    line += edge;
  };
  for (const child of element.childNodes) walk(child);
  return line.replace(/\s+/g, ' ').trim();
}

/** The text of an element, line breaks included. */
export function linesOf(element: Element): string {
  let text = '';
  const walk = (node: Node): void => {
    if (node.nodeType === 3) text += node.textContent ?? '';
    if (node.nodeType !== 1 || isLeftOut(node as Element)) return;
    const raised = raisedOf(node as Element);
    if (nameOf(node as Element) === 'br') text += '\n';
    else if (raised !== null) text += raised;
    else for (const child of node.childNodes) walk(child);
  };
  walk(element);
  return text;
}

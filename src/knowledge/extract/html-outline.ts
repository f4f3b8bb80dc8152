import type { Section } from '../../search/types.ts';
import { createOutline } from './outline.ts';

const list = (names: string) => new Set(names.split(' '));
const skipped = list(
  'head title script style noscript template iframe object svg math canvas audio video form button select input textarea nav dialog',
);
const inline = list(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr',
);

/**
 * The sections of a DOM node by its headings, without navigation, forms and what is not shown; `title` heads them all.
 * Changes nothing.
 */
export function outlineOf(root: Node, title?: string | null): Section[] {
  const outline = createOutline();
  if (title) outline.heading(1, title);
  let line = '';
  let bullet = '';
  const flush = () => {
    const rows = line.split('\n').map((row) => row.replace(/ {2,}/g, ' ').trim());
    const text = rows.join('\n').trim();
    line = '';
    if (!text) return;
    outline.block(bullet + text, Boolean(bullet));
    bullet = '';
  };
  const walkChildren = (node: Node) => {
    for (const child of node.childNodes) walk(child);
  };
  const walk = (node: Node): void => {
    if (node.nodeType === 3) line += (node.textContent ?? '').replace(/\s+/g, ' ');
    if (node.nodeType !== 1) return;
    const element = node as Element;
    const name = element.localName.toLowerCase();
    if (skipped.has(name) || isHidden(element)) return;
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (name === 'br') line += '\n';
    else if (name === 'img') line += element.getAttribute('alt')?.replace(/\s+/g, ' ') ?? '';
    else if (inline.has(name)) walkChildren(node);
    else {
      flush();
      if (level) outline.heading(Number(level), element.textContent ?? '');
      else if (name === 'pre') outline.block(element.textContent ?? '');
      else if (name === 'tr') outline.block(rowOf(element), true);
      else {
        if (name === 'li') bullet = '- ';
        walkChildren(node);
        flush();
        bullet = '';
      }
    }
  };
  for (const node of root.nodeType === 9 ? root.childNodes : [root]) walk(node);
  flush();
  return outline.end();
}

function isHidden(element: Element): boolean {
  return (
    element.hasAttribute('hidden') ||
    element.getAttribute('aria-hidden') === 'true' ||
    ['navigation', 'search', 'menu', 'dialog'].includes(element.getAttribute('role') ?? '') ||
    (/^(header|footer)$/i.test(element.localName) && element.parentElement?.localName.toLowerCase() === 'body')
  );
}

/** A table's row as one line: `Plan | Price`. */
function rowOf(row: Element): string {
  const cells = [...row.children].map((cell) => (cell.textContent ?? '').replace(/\s+/g, ' ').trim());
  return cells.filter(Boolean).join(' | ');
}

import type { Section } from '../../../search/types.ts';
import { createOutline } from '../outline.ts';
import { isLayoutTable, lineOfRow, linesOfTable } from './html-table.ts';
import { isInline, isLeftOut, lineOf, linesOf, nameOf, raisedOf } from './html-text.ts';

/**
 * Divides a DOM node into sections by its headings, without navigation, forms and hidden elements; `title` becomes the
 * top heading. Does not modify the node.
 */
export function outlineOf(root: Node, title?: string | null): Section[] {
  const outline = createOutline();
  if (title) outline.heading(1, title);
  let line = '';
  let bullet = '';
  const numbers = new Map<Element, number>();
  const layouts = new Set<Element>();
  const isOfLayout = (row: Element): boolean => {
    const group = row.parentElement;
    const table = group && nameOf(group) !== 'table' ? group.parentElement : group;
    return table !== null && layouts.has(table);
  };
  const bulletOf = (item: Element): string => {
    const list = item.parentElement;
    if (!list || nameOf(list) !== 'ol') return '- ';
    const first = Number.parseInt(list.getAttribute('start') ?? '', 10);
    const number = numbers.has(list) ? (numbers.get(list) ?? 0) + 1 : Number.isNaN(first) ? 1 : first;
    numbers.set(list, number);
    return `${number}. `;
  };
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
  const walkTable = (table: Element): void => {
    if (isLayoutTable(table)) layouts.add(table);
    if (layouts.has(table) || hasParts(table)) return walkChildren(table);
    const rows = linesOfTable(table);
    for (const caption of table.children) if (nameOf(caption) === 'caption') walk(caption);
    for (const row of rows) outline.block(row, true);
  };
  const walk = (node: Node): void => {
    if (node.nodeType === 3) line += (node.textContent ?? '').replace(/\s+/g, ' ');
    if (node.nodeType !== 1) return;
    const element = node as Element;
    if (isLeftOut(element)) return;
    const name = nameOf(element);
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (name === 'br') line += '\n';
    else if (name === 'img') line += element.getAttribute('alt')?.replace(/\s+/g, ' ') ?? '';
    else if (isInline(name)) {
      const raised = raisedOf(element);
      if (raised === null) walkChildren(node);
      else line += raised;
    } else {
      flush();
      if (level) outline.heading(Number(level), lineOf(element));
      else if (name === 'pre') outline.block(linesOf(element));
      else if (name === 'table') walkTable(element);
      else if (name === 'tr' && !hasParts(element) && !isOfLayout(element)) outline.block(lineOfRow(element), true);
      else {
        if (name === 'li') bullet = bulletOf(element);
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

/** Whether a table or row is used for layout: its cells contain tables or headings. */
const hasParts = (element: Element): boolean => element.querySelector('table, h1, h2, h3, h4, h5, h6') !== null;

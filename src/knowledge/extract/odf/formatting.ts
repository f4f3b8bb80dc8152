import { scriptDigits } from '../script-digits.ts';
import { elements } from '../xml.ts';
import { inherited } from './styles.ts';

const blank = /^text:(s|tab|line-break)$/;

/**
 * Removes what a document strikes out, and writes the numbers that it raises or lowers in such digits. `documents`: see
 * `inherited`.
 */
export function applyFormatting(content: Document, documents: Document[]): void {
  const strikes = inherited(documents, strikesItself);
  const raises = inherited(documents, raisesItself);
  for (const name of ['text:p', 'text:h', 'text:span']) {
    for (const element of elements(content, name)) {
      if (strikes(element.getAttribute('text:style-name'))) removeStruck(element, strikes);
    }
  }
  for (const table of elements(content, 'table:table')) removeStruckCells(table, strikes);
  for (const span of elements(content, 'text:span')) {
    const how = raises(span.getAttribute('text:style-name'));
    const text = how ? scriptDigits(span.textContent ?? '', how) : null;
    if (text !== null) span.textContent = text;
  }
}

/** Removes the text of a struck element and its notes, but neither boxes nor what has a style that is not struck. */
function removeStruck(element: Element, strikes: Strikes): void {
  for (const child of element.childNodes) {
    const name = child.nodeType === 1 ? (child as Element).localName : '';
    if (child.nodeType === 3 || blank.test(name) || name === 'text:note') (child as ChildNode).remove();
    else if (name && !name.startsWith('draw:') && strikes((child as Element).getAttribute('text:style-name')) !== false)
      removeStruck(child as Element, strikes);
  }
}

type Strikes = (style: string | null) => boolean | undefined;

/** Removes the content of cells whose style, or else that of their row or column, strikes out. */
function removeStruckCells(table: Element, strikes: Strikes): void {
  const columns = elements(table, 'table:table-column').map((column): [number, boolean] => [
    repeatedIn(column),
    strikes(column.getAttribute(defaultStyle)) === true,
  ]);
  const isInColumn = (at: number): boolean => {
    let left = at;
    for (const [repeated, isStruck] of columns) {
      if (left < repeated) return isStruck;
      left -= repeated;
    }
    return false;
  };
  const mayInherit = columns.some(([, isStruck]) => isStruck);
  for (const row of elements(table, 'table:table-row')) {
    const rowStyle = row.getAttribute(defaultStyle);
    let column = 0;
    for (const cell of row.children) {
      const style = cell.getAttribute('table:style-name') ?? rowStyle;
      if (style ? strikes(style) : mayInherit && isInColumn(column)) removeStruckCell(cell, strikes);
      column += repeatedIn(cell);
    }
  }
}

const defaultStyle = 'table:default-cell-style-name';
const repeatedIn = (element: Element): number =>
  Math.max(1, Number.parseInt(element.getAttribute('table:number-columns-repeated') ?? '', 10) || 1);

function removeStruckCell(cell: Element, strikes: Strikes): void {
  for (const line of cell.children) removeStruck(line, strikes);
  if (cell.textContent?.trim()) return;
  // Its value is also an attribute.
  for (const name of cell.getAttributeNames()) if (/^office:.*value/.test(name)) cell.removeAttribute(name);
}

function strikesItself(style: Element): boolean | undefined {
  const properties = style.getElementsByTagName('style:text-properties')[0];
  const given = ['style', 'type'].flatMap((name) => properties?.getAttribute(`style:text-line-through-${name}`) || []);
  return given.length > 0 ? given.some((look) => look !== 'none') : undefined;
}

/** Null if a style says that it neither raises nor lowers. */
function raisesItself(style: Element): 'sup' | 'sub' | null | undefined {
  const position = style.getElementsByTagName('style:text-properties')[0]?.getAttribute('style:text-position');
  if (!position) return undefined;
  return /^(super|[1-9])/.test(position) ? 'sup' : /^(sub|-)/.test(position) ? 'sub' : null;
}

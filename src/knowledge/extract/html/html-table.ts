import { type TableRow, tableLines } from '../tables/table-lines.ts';
import { isLeftOut, lineOf, nameOf } from './html-text.ts';

/** The largest colspan and rowspan that are honoured. */
const maxColumns = 50;
const maxRows = 1_000;
/** A cell with longer text is no label for the rows that it spans: its text only appears in the first. */
const maxLabelLength = 60;
/** How many cells of a row may be repeated in the rows below it. */
const maxLabels = 8;

/** Renders the rows of a table as lines. */
export const linesOfTable = (table: Element): string[] => tableLines(spread(rowsIn(table)));

/**
 * Whether a table is there for the layout, so that its cells are parts of the page, one after the other: it says so,
 * has one column, or is one row of columns with several paragraphs or a list each. One with headers is none.
 */
export function isLayoutTable(table: Element): boolean {
  if (/^\s*(presentation|none)\s*$/i.test(table.getAttribute('role') ?? '')) return true;
  if (table.querySelector('th, thead, caption')) return false;
  const rows = rowsIn(table).map((row) => [...row.children].filter((cell) => /^t[dh]$/.test(nameOf(cell))));
  if (rows.every((cells) => cells.length < 2)) return true;
  const isPart = (cell: Element) => !lineOf(cell) || cell.querySelector('p ~ p, div ~ div, ul, ol') !== null;
  return rows.length === 1 && rows[0]?.every(isPart) === true;
}

/** Renders a row on its own. */
export const lineOfRow = (row: Element): string => tableLines(spread([row])).join('\n');

const rowsIn = (element: Element): Element[] =>
  [...element.children].flatMap((child) => {
    const name = nameOf(child);
    if (name === 'tr') return isLeftOut(child) ? [] : [child];
    return ['thead', 'tbody', 'tfoot'].includes(name) ? rowsIn(child) : [];
  });

type Label = { text: string; column: number; span: number; rows: number };

/** Assigns the cells of each row to columns; a cell that spans rows is repeated in each of them. */
function spread(rows: Element[]): TableRow[] {
  let labels: Label[] = [];
  return rows.map((row) => {
    const above = labels.filter(({ rows: left }) => left > 0);
    const cells: TableRow['cells'] = above.map(({ text, column, span }) => ({ text, column, span }));
    const occupied = new Set(above.flatMap(({ column, span }) => columnsOf(column, span)));
    labels = above.map((label) => ({ ...label, rows: label.rows - 1 }));
    let column = 0;
    const own = [...row.children].filter((cell) => /^t[dh]$/.test(nameOf(cell)) && !isLeftOut(cell));
    for (const cell of own) {
      while (occupied.has(column)) column++;
      const span = spanOf(cell, 'colspan', maxColumns);
      const below = spanOf(cell, 'rowspan', maxRows) - 1;
      const text = lineOf(cell);
      cells.push({ text, column, span });
      if (below > 0 && text.length <= maxLabelLength && labels.length < maxLabels) {
        labels.push({ text, column, span, rows: below });
      }
      column += span;
    }
    cells.sort((a, b) => a.column - b.column);
    return { cells, isHeader: isHeader(row, own), isBold: own.length > 1 && own.every(isBold) };
  });
}

const columnsOf = (column: number, span: number): number[] =>
  Array.from({ length: span }, (_, index) => column + index);

const spanOf = (cell: Element, name: string, max: number): number =>
  Math.min(max, Math.max(1, Number.parseInt(cell.getAttribute(name) ?? '', 10) || 1));

/** Whether the markup makes a row a header. The corner above a column of labels may be empty. */
function isHeader(row: Element, cells: Element[]): boolean {
  const last = cells.at(-1);
  if (!last || cells.length < 2) return false;
  if (nameOf(row.parentElement ?? row) === 'thead') return true;
  return Boolean(lineOf(last)) && cells.every((cell) => nameOf(cell) === 'th' || (cell !== last && !lineOf(cell)));
}

/** Whether all text of a cell is bold. */
function isBold(cell: Element): boolean {
  const text = lineOf(cell);
  const bold = [...cell.querySelectorAll('b, strong')].map(lineOf).join('');
  return Boolean(text) && text.replaceAll(' ', '') === bold.replaceAll(' ', '');
}

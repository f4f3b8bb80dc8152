import { type TableRow, tableLines } from '../tables/table-lines.ts';
import { isLeftOut, lineOf, nameOf } from './html-text.ts';

/** The largest colspan and rowspan that are honoured. */
const maxColumns = 50;
const maxRows = 1_000;
/** A cell with longer text is no label for the rows that it spans: its text only appears in the first. */
const maxLabelLength = 60;
/** How many cells of a row may be repeated in the rows below it. */
const maxLabels = 8;

/**
 * Renders the rows of a table as lines. Null if it contains tables or headings: then it is used for layout, and its
 * cells are parts of the page.
 */
export function linesOfTable(table: Element): string[] | null {
  if (table.querySelector('table, h1, h2, h3, h4, h5, h6')) return null;
  return tableLines(spread(rowsIn(table)));
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

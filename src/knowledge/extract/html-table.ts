import { isLeftOut, lineOf, nameOf } from './html-text.ts';
import { type TableRow, tableLines } from './table-lines.ts';

/** How many columns or rows a cell may say that it spans. */
const mostColumns = 50;
const mostRows = 1_000;
/** Longer text is no name of the rows that it spans: it stands with the first of them. */
const longestLabel = 60;
/** How many cells of a row may stand in the rows below it too. */
const mostLabels = 8;

/**
 * The rows of a table as lines. Null for one that holds tables or headings: it is there for the layout, and its cells are
 * parts of the page.
 */
export function linesOfTable(table: Element): string[] | null {
  if (table.querySelector('table, h1, h2, h3, h4, h5, h6')) return null;
  return tableLines(spread(rowsIn(table)));
}

/** One row without its table. */
export const lineOfRow = (row: Element): string => tableLines(spread([row])).join('\n');

const rowsIn = (element: Element): Element[] =>
  [...element.children].flatMap((child) => {
    const name = nameOf(child);
    if (name === 'tr') return isLeftOut(child) ? [] : [child];
    return ['thead', 'tbody', 'tfoot'].includes(name) ? rowsIn(child) : [];
  });

type Label = { text: string; column: number; span: number; rows: number };

/** The cells of each row by their columns; one that spans rows stands in each of them. */
function spread(rows: Element[]): TableRow[] {
  let labels: Label[] = [];
  return rows.map((row) => {
    const above = labels.filter(({ rows: left }) => left > 0);
    const cells: TableRow['cells'] = above.map(({ text, column, span }) => ({ text, column, span }));
    const taken = new Set(above.flatMap(({ column, span }) => columnsOf(column, span)));
    labels = above.map((label) => ({ ...label, rows: label.rows - 1 }));
    let column = 0;
    const own = [...row.children].filter((cell) => /^t[dh]$/.test(nameOf(cell)) && !isLeftOut(cell));
    for (const cell of own) {
      while (taken.has(column)) column++;
      const span = spanOf(cell, 'colspan', mostColumns);
      const below = spanOf(cell, 'rowspan', mostRows) - 1;
      const text = lineOf(cell);
      cells.push({ text, column, span });
      if (below > 0 && text.length <= longestLabel && labels.length < mostLabels) {
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

const spanOf = (cell: Element, name: string, most: number): number =>
  Math.min(most, Math.max(1, Number.parseInt(cell.getAttribute(name) ?? '', 10) || 1));

/** Whether a row names the columns by its markup. The corner above a column of names may be empty. */
function isHeader(row: Element, cells: Element[]): boolean {
  const last = cells.at(-1);
  if (!last || cells.length < 2) return false;
  if (nameOf(row.parentElement ?? row) === 'thead') return true;
  return Boolean(lineOf(last)) && cells.every((cell) => nameOf(cell) === 'th' || (cell !== last && !lineOf(cell)));
}

/** Whether all that a cell says is bold. */
function isBold(cell: Element): boolean {
  const text = lineOf(cell);
  const bold = [...cell.querySelectorAll('b, strong')].map(lineOf).join('');
  return Boolean(text) && text.replaceAll(' ', '') === bold.replaceAll(' ', '');
}

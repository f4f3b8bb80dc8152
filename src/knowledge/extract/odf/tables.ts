import { type TableRow, tableLines } from '../tables/table-lines.ts';
import { paragraphsIn } from './text.ts';

/** The largest number of columns that a cell spans or is repeated in. */
const maxColumns = 50;

/** Renders the rows of a table as lines. A table within a cell is part of the cell's text. */
export function linesOfTable(table: Element): string[] {
  return tableLines(rowsIn(table, false));
}

function rowsIn(element: Element, isHeader: boolean): TableRow[] {
  return [...element.children].flatMap((child): TableRow[] => {
    if (child.localName === 'table:table-row') return [{ cells: cellsOf(child), isHeader }];
    if (child.localName === 'table:table-header-rows') return rowsIn(child, true);
    return /^table:table-(rows|row-group)$/.test(child.localName) ? rowsIn(child, isHeader) : [];
  });
}

function cellsOf(row: Element): TableRow['cells'] {
  let column = 0;
  return [...row.children].flatMap((cell): TableRow['cells'] => {
    if (!/^table:(covered-)?table-cell$/.test(cell.localName)) return [];
    const isCovered = cell.localName === 'table:covered-table-cell';
    const at = column;
    column += numberOf(cell, 'table:number-columns-repeated');
    const text = isCovered ? '' : paragraphsIn(cell).join(' ').trim();
    return text ? [{ text, column: at, span: numberOf(cell, 'table:number-columns-spanned') }] : [];
  });
}

const numberOf = (cell: Element, name: string): number =>
  Math.min(maxColumns, Math.max(1, Number.parseInt(cell.getAttribute(name) ?? '', 10) || 1));

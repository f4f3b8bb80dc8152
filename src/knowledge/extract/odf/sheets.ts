import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { type Cell, type Grid, hiddenWarnings, type Merge } from '../tables/grid.ts';
import { readGrid } from '../tables/rows.ts';
import { elements } from '../xml.ts';
import { paragraphsIn } from './text.ts';

/**
 * Limits of what is repeated: a sheet says that its last row is repeated a million times. The rows of all sheets and
 * the columns of one, and how often a row or a cell with content is.
 */
const maxRows = 2_000_000;
const maxColumns = 16_384;
const maxRepeated = 1_000;
const maxMerges = 20_000;

const emptyRow: Cell[] = [];

/**
 * Reads a spreadsheet: sections of a few rows each, with their sheet and rows. Cells have their displayed text. Hidden
 * rows and columns are left out, and `warnings` say how many.
 */
export function readSheets(spreadsheet: Element): { sections: Section[]; warnings: string[] } {
  let total = 0;
  const grids = [...spreadsheet.children].flatMap((table): Grid[] => {
    if (table.localName !== 'table:table') return [];
    const rows: Cell[][] = [];
    const hiddenRows = new Set<number>();
    const merges: Merge[] = [];
    let empty = 0;
    for (const row of rowsIn(table)) {
      const repeated = numberOf(row, 'table:number-rows-repeated');
      const { cells, spans } = cellsOf(row);
      if (cells.length === 0) {
        empty += repeated;
        continue;
      }
      total += empty + repeated;
      if (total > maxRows) throw new ExtractFailure('It holds more than 2 million rows: split it');
      for (let blank = 0; blank < empty; blank++) rows.push(emptyRow);
      for (const span of spans) if (merges.length < maxMerges) merges.push({ ...span, row: rows.length });
      for (let copy = 0; copy < Math.min(repeated, maxRepeated); copy++) {
        if (isHidden(row)) hiddenRows.add(rows.length);
        rows.push(cells);
      }
      empty = Math.max(0, repeated - maxRepeated);
    }
    const sheet = table.getAttribute('table:name') ?? undefined;
    return [{ rows, sheet, merges, hiddenRows, hiddenColumns: hiddenColumnsOf(table) }];
  });
  return { sections: grids.flatMap(readGrid), warnings: grids.flatMap(hiddenWarnings) };
}

/** Whether a row or column is hidden, or filtered out. */
const isHidden = (element: Element): boolean =>
  /^(collapse|filter)$/.test(element.getAttribute('table:visibility') ?? '');

function hiddenColumnsOf(table: Element): Set<number> {
  const hidden = new Set<number>();
  let column = 0;
  for (const each of elements(table, 'table:table-column')) {
    const end = Math.min(maxColumns, column + numberOf(each, 'table:number-columns-repeated'));
    for (; column < end; column++) if (isHidden(each)) hidden.add(column);
  }
  return hidden;
}

const rowsIn = (element: Element): Element[] =>
  [...element.children].flatMap((child) => {
    if (child.localName === 'table:table-row') return [child];
    return /^table:table-(rows|header-rows|row-group)$/.test(child.localName) ? rowsIn(child) : [];
  });

/** The cells of a row up to the last one with content, and those that span several. */
function cellsOf(row: Element): { cells: Cell[]; spans: Omit<Merge, 'row'>[] } {
  const cells: Cell[] = [];
  const spans: Omit<Merge, 'row'>[] = [];
  let empty = 0;
  for (const cell of row.children) {
    if (!/^table:(covered-)?table-cell$/.test(cell.localName)) continue;
    const repeated = numberOf(cell, 'table:number-columns-repeated');
    const text = cell.localName === 'table:table-cell' ? textOfCell(cell) : '';
    if (!text) empty += repeated;
    else {
      const copies = Math.min(repeated, maxRepeated);
      if (cells.length + empty + copies > maxColumns) break;
      for (let blank = 0; blank < empty; blank++) cells.push(null);
      const rows = numberOf(cell, 'table:number-rows-spanned');
      const columns = numberOf(cell, 'table:number-columns-spanned');
      if (rows > 1 || columns > 1) spans.push({ column: cells.length, rows, columns });
      for (let copy = 0; copy < copies; copy++) cells.push(text);
      empty = 0;
    }
  }
  return { cells, spans };
}

function textOfCell(cell: Element): string {
  const value = ['office:time-value', 'office:boolean-value', 'office:string-value', 'office:value'];
  const date = cell.getAttribute('office:date-value');
  // A date is displayed as it is written in one country.
  if (date) return date.replace(/T00:00:00.*$/, '').replace(/T(\d\d:\d\d).*$/, ' $1');
  const text = paragraphsIn(cell).join('\n').trim();
  return text || (value.map((name) => cell.getAttribute(name)).find(Boolean) ?? '');
}

const numberOf = (element: Element, name: string): number =>
  Math.max(1, Number.parseInt(element.getAttribute(name) ?? '', 10) || 1);

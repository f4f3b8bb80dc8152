import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { readGrid } from '../rows.ts';
import { paragraphsIn } from './text.ts';

/**
 * Limits of what is repeated: a sheet says that its last row is repeated a million times. The rows of all sheets and the
 * columns of one, and how often a row or a cell with content is.
 */
const maxRows = 2_000_000;
const maxColumns = 16_384;
const maxRepeated = 1_000;

type Cell = string | null;
const emptyRow: Cell[] = [];

/** Reads a spreadsheet: sections of a few rows each, with their sheet and rows. Cells have their displayed text. */
export function readSheets(spreadsheet: Element): Section[] {
  let total = 0;
  return [...spreadsheet.children].flatMap((table) => {
    if (table.localName !== 'table:table') return [];
    const rows: Cell[][] = [];
    let empty = 0;
    for (const row of rowsIn(table)) {
      const repeated = numberOf(row, 'table:number-rows-repeated');
      const cells = cellsOf(row);
      if (cells.length === 0) {
        empty += repeated;
        continue;
      }
      total += empty + repeated;
      if (total > maxRows) throw new ExtractFailure('It holds more than 2 million rows: split it');
      for (let blank = 0; blank < empty; blank++) rows.push(emptyRow);
      for (let copy = 0; copy < Math.min(repeated, maxRepeated); copy++) rows.push(cells);
      empty = Math.max(0, repeated - maxRepeated);
    }
    return readGrid({ rows, sheet: table.getAttribute('table:name') ?? undefined });
  });
}

const rowsIn = (element: Element): Element[] =>
  [...element.children].flatMap((child) => {
    if (child.localName === 'table:table-row') return [child];
    return /^table:table-(rows|header-rows|row-group)$/.test(child.localName) ? rowsIn(child) : [];
  });

/** The cells of a row up to the last one with content. */
function cellsOf(row: Element): Cell[] {
  const cells: Cell[] = [];
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
      for (let copy = 0; copy < copies; copy++) cells.push(text);
      empty = 0;
    }
  }
  return cells;
}

function textOfCell(cell: Element): string {
  const value = [
    'office:date-value',
    'office:time-value',
    'office:boolean-value',
    'office:string-value',
    'office:value',
  ];
  const text = paragraphsIn(cell).join('\n').trim();
  return text || (value.map((name) => cell.getAttribute(name)).find(Boolean) ?? '');
}

const numberOf = (element: Element, name: string): number =>
  Math.max(1, Number.parseInt(element.getAttribute(name) ?? '', 10) || 1);

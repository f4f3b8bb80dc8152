import { formatNumber } from './numbers.ts';
import { textOf } from './series.ts';
import type { Cell, Column, Table } from './table.ts';
import { momentTexts } from './time-labels.ts';

/**
 * The texts of the cells of the first rows of a table: numbers with their units, times in the zone, nothing for null.
 */
export function cellTexts({ columns, rows }: Table, timeZone: string, most: number): string[][] {
  const shown = rows.slice(0, most);
  const byColumn = columns.map((column, at) =>
    columnTexts(
      column,
      shown.map((row) => row[at] ?? null),
      timeZone,
    ),
  );
  return shown.map((_, row) => byColumn.map((texts) => texts[row] ?? ''));
}

function columnTexts({ kind, value }: Column, cells: Cell[], timeZone: string): string[] {
  if (kind === 'moment')
    return momentTexts(
      cells.map((cell) => String(cell ?? '')),
      timeZone,
    );
  // A key is a name, also where it is a number.
  const isMeasured = value && value.kind !== 'key' && value.kind !== 'hourOfDay';
  const numberOf = (cell: number) => (isMeasured ? formatNumber(cell, value) : String(cell));
  return cells.map((cell) => (cell === null ? '' : typeof cell === 'number' ? numberOf(cell) : textOf(cell)));
}

import type { Cell, Table } from './table.ts';

/**
 * Writes a table as CSV (RFC 4180), as the gateway does for `Accept: text/csv`. Text that a spreadsheet would run as a
 * formula is prefixed with an apostrophe.
 */
export function csvOf({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string {
  const lines = [columns.map(({ name }) => name), ...rows].map((cells) => cells.map(written).join(','));
  return lines.map((line) => `${line}\r\n`).join('');
}

function written(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

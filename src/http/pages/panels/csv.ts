import type { Cell, Column } from './charts/table.ts';

/**
 * Where a spreadsheet may find a formula: wherever a cell may begin. That is the beginning of a value and, for a reader
 * that takes another separator or pasted text, what follows a line break, a tab or a semicolon; blanks before it do not
 * count.
 */
const formula = /(^|[\r\n\t;])(?=(?:(?![\r\n\t])[\p{Z}\p{C}])*[=+\-@＝＋－＠])/gu;

/** Text with an apostrophe before each formula, so that a spreadsheet shows it and does not run it. */
export const withoutFormulas = (text: string): string => text.replace(formula, "$1'");

const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.(\d{3})Z$/;

/** Text as a spreadsheet reads it: a time in UTC without `T` and `Z`, which make it a text, and no formula. */
export function cellText(text: string): string {
  const [, date, time, milliseconds] = instant.exec(text) ?? [];
  if (!date) return withoutFormulas(text);
  return `${date} ${time}${milliseconds === '000' ? '' : `.${milliseconds}`}`;
}

/** Writes a table as CSV (RFC 4180), as the gateway does for `Accept: text/csv`. */
export function csvOf({ columns, rows }: { columns: Pick<Column, 'name'>[]; rows: Cell[][] }): string {
  const lines = [columns.map(({ name }) => name), ...rows].map((cells) => cells.map(written).join(','));
  return lines.map((line) => `${line}\r\n`).join('');
}

function written(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'string' ? cellText(cell) : String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

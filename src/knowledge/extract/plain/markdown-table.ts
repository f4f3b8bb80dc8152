import { type TableRow, tableLines } from '../tables/table-lines.ts';

const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** Longer lines are no rows, and would make the regular expressions slow. */
const maxLength = 10_000;

/** The table that starts at a line, each of its rows with the names of the columns, and the line after it; or null. */
export function tableAt(lines: string[], start: number): { lines: string[]; end: number } | null {
  const below = lines[start + 1] ?? '';
  if (!isRow(lines[start]) || !below.includes('|') || below.length > maxLength || !delimiters.test(below)) return null;
  const names = cellsOf(lines[start] ?? '');
  if (cellsOf(below).length !== names.length) return null;
  let end = start + 2;
  while (isRow(lines[end])) end++;
  const rows = [names, ...lines.slice(start + 2, end).map(cellsOf)];
  return {
    lines: tableLines(rows.map((cells, index): TableRow => ({ cells: spread(cells), isHeader: index === 0 }))),
    end,
  };
}

const isRow = (line: string | undefined): boolean =>
  line !== undefined && line.length <= maxLength && line.includes('|') && !/^ {4}/.test(line);

const spread = (cells: string[]) => cells.map((text, column) => ({ text, column, span: 1 }));

/** The cells between pipes; `\\|` is a pipe in one. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

import { hiddenWarning, listSome } from '../hidden-warnings.ts';
import { ranges } from '../ranges.ts';

export type Cell = string | null;

/** The upper left cell of merged ones, counted from 0, and how many rows and columns they are. */
export type Merge = { row: number; column: number; rows: number; columns: number };

/** A table of a spreadsheet, its displayed texts by row and column. What is hidden is still among the rows. */
export type Grid = {
  sheet?: string | undefined;
  rows: Cell[][];
  merges?: Merge[];
  hiddenRows?: Set<number>;
  hiddenColumns?: Set<number>;
  /** How many formulas have no value that is stored. */
  formulas?: number;
};

/** A merged cell with longer text is no label: its text only appears once. */
const maxLabelLength = 60;
/** Limits of what is repeated, in rows and columns of a merge, and in cells of a sheet. */
const maxSpan = { rows: 1_000, columns: 50 };
const maxRepeated = 100_000;

/** What a reader of the table sees: merged labels in each of their cells, and nothing in hidden rows and columns. */
export function shownRows({ rows, merges = [], hiddenRows, hiddenColumns }: Grid): Cell[][] {
  const shown = [...rows];
  let repeated = 0;
  for (const merge of merges) {
    const text = rows[merge.row]?.[merge.column]?.trim();
    if (!text || text.length > maxLabelLength) continue;
    for (const [row, column] of cellsOf(merge, rows.length)) {
      if (++repeated > maxRepeated) break;
      // Copied once: the rows of the grid are left as they are.
      const cells = shown[row] === rows[row] ? [...(rows[row] ?? [])] : (shown[row] ?? []);
      while (cells.length < column) cells.push(null);
      cells[column] ??= text;
      shown[row] = cells;
    }
  }
  if (!hiddenRows?.size && !hiddenColumns?.size) return shown;
  return shown.map((cells, row) => {
    if (hiddenRows?.has(row)) return [];
    return hiddenColumns?.size ? cells.map((text, column) => (hiddenColumns.has(column) ? null : text)) : cells;
  });
}

function* cellsOf(merge: Merge, height: number): Generator<[number, number]> {
  const endRow = Math.min(merge.row + Math.min(merge.rows, maxSpan.rows), height);
  const endColumn = merge.column + Math.min(merge.columns, maxSpan.columns);
  for (let row = merge.row; row < endRow; row++) {
    for (let column = merge.column; column < endColumn; column++) yield [row, column];
  }
}

/** Says how many rows and columns with content are hidden, and which: `3 hidden rows of Prices are not read (4–6)`. */
export function hiddenWarnings({ sheet, rows, hiddenRows, hiddenColumns }: Grid): string[] {
  const where = sheet ? ` of ${sheet}` : '';
  const filledRows = [...(hiddenRows ?? [])].filter((row) => rows[row]?.some((cell) => cell?.trim()));
  const filledColumns = [...(hiddenColumns ?? [])].filter((column) =>
    rows.some((cells, row) => !hiddenRows?.has(row) && cells[column]?.trim()),
  );
  const ascending = filledRows.map((row) => row + 1).sort((a, b) => a - b);
  const letters = filledColumns.sort((a, b) => a - b).map(columnLetters);
  return [
    ...(ascending.length > 0 ? [`${hiddenWarning(ascending.length, 'row', where)} (${ranges(ascending)})`] : []),
    ...(letters.length > 0 ? [`${hiddenWarning(letters.length, 'column', where)} (${listSome(letters)})`] : []),
  ];
}

/** The letters of a column counted from 0: `A`, `AB`. */
const columnLetters = (column: number): string =>
  (column >= 26 ? columnLetters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

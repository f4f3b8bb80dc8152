import { cleanLine } from '../clean.ts';
import type { Cell, Grid, Merge } from './grid.ts';

/** Column names are truncated to this length, since they are repeated with each cell. */
const maxName = 60;
/** How many rows above the header may be titles, and how many below it are looked at. */
const maxTitles = 10;
const sampleRows = 20;
/** How many rows a header may have. */
const maxHeight = 5;

/**
 * What names the columns: the header's first row and the one after its last, the name of each column, and the titles
 * above it. `isCut`: some names had to be truncated.
 */
type Header = { from: number; to: number; names: string[]; titles: string[]; isCut: boolean };

/**
 * Finds the header among the first rows: after titles that stand alone in their row, a row of words, or of years and
 * other periods in order, that the rows below it do not continue. Null if there is none.
 */
export function headerOf(rows: Cell[][], merges: Grid['merges'] = []): Header | null {
  const spans = new Map<number, Merge[]>();
  for (const merge of merges) spans.set(merge.row, [...(spans.get(merge.row) ?? []), merge]);
  const titles: string[] = [];
  for (const [from, row] of rows.entries()) {
    const texts = textsOf(row);
    const isBanner = spans.get(from)?.some(({ columns }) => columns > 1) && new Set(texts).size === 1;
    if (texts.length === 0) continue;
    if (texts.length === 1 || isBanner) {
      if (titles.push(texts[0] ?? '') > maxTitles) return null;
      continue;
    }
    return header(rows, from, spans, titles);
  }
  return null;
}

function header(rows: Cell[][], from: number, spans: Map<number, Merge[]>, titles: string[]): Header | null {
  const first = rows[from] ?? [];
  const above = isSpanned(rows, from) ? filledRight(first, rows[from + 1] ?? []) : null;
  const to = above ? from + 2 : endOf(rows, from, spans);
  if (to >= rows.length) return null;
  const head = rows.slice(from, to);
  const below = rows
    .slice(to)
    .filter((row) => textsOf(row).length > 0)
    .slice(0, sampleRows);
  if (below.length === 0) return null;
  const parts = above ? [above, ...head.slice(1)] : head;
  const whole = Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, column) =>
    [...new Set(parts.map((row) => cleanLine(row[column]) ?? '').filter(Boolean))].join(' '),
  );
  if (!parts.every((row) => canName(row, below))) return null;
  return {
    from,
    to,
    titles,
    names: whole.map((name) => cleanLine(name, maxName) ?? ''),
    isCut: whole.some((name) => name.length > maxName),
  };
}

/** The row after a header whose names span columns, as long as the cells below the spans are names too. */
function endOf(rows: Cell[][], from: number, spans: Map<number, Merge[]>): number {
  let to = from + 1;
  for (let row = from; row < to && row < from + maxHeight; row++) {
    for (const merge of spans.get(row) ?? []) {
      const end = merge.row + merge.rows;
      const isSpan = merge.columns > 1 && isNames((rows[end] ?? []).slice(merge.column, merge.column + merge.columns));
      if (isSpan) to = Math.max(to, end + 1);
    }
  }
  return Math.min(to, from + maxHeight);
}

/** Whether a row without merged cells has names for several columns, as CSV files have it: the next row is fuller. */
function isSpanned(rows: Cell[][], from: number): boolean {
  const [first, next, data] = [rows[from] ?? [], rows[from + 1] ?? [], rows[from + 2] ?? []];
  const [upper, lower] = [textsOf(first), textsOf(next)];
  const repeats = new Set(lower).size < lower.length;
  return lower.length > upper.length && repeats && isNames(next) && textsOf(data).some((text) => /\d/.test(text));
}

/** Repeats each name to the right while its cells are empty and the ones below are not. */
function filledRight(row: Cell[], below: Cell[]): Cell[] {
  let name: Cell = null;
  return below.map((cell, column) => {
    const own = row[column]?.trim();
    if (own) name = own;
    return own || (cell?.trim() ? name : null);
  });
}

/**
 * Whether a row can name the columns of the rows below. Names that occur twice only do so if they are not values:
 * none stands in its column below.
 */
function canName(row: Cell[], below: Cell[][]): boolean {
  const texts = textsOf(row);
  if (texts.length < 2) return false;
  const words = texts.filter((text) => !isPeriod(text));
  if (!words.every((text) => /\p{L}/u.test(text))) return false;
  if (words.length < texts.length) {
    const columns = row.flatMap((cell, column) => (cell && isPeriod(cell.trim()) ? [column] : []));
    const periods = columns.map((column) => row[column]?.trim() ?? '');
    const continues = below.some((cells) => columns.every((column) => isPeriod(cells[column]?.trim() ?? '')));
    if (periods.length < 2 || !isOrdered(periods) || continues) return false;
  }
  if (new Set(words).size === words.length) return true;
  return !row.some((cell, column) => cell?.trim() && below.some((cells) => cells[column]?.trim() === cell.trim()));
}

const isNames = (row: Cell[]): boolean => {
  const texts = textsOf(row);
  return texts.length > 0 && texts.every((text) => /\p{L}/u.test(text) || isPeriod(text));
};

/** A year, a month, a day, a quarter or a time of day. */
const isPeriod = (text: string): boolean =>
  /^((19|20)\d\d([-/](\d\d|[QTq]?\d))?(-\d\d)?|\d\d?:\d\d|\d\d?\/(19|20)\d\d)$/.test(text);

/** Whether periods are in order, all ascending or all descending; ones under spanned names start anew. */
function isOrdered(periods: string[]): boolean {
  const sorted = [...new Set(periods)].sort();
  const order = [...new Set(periods)].join();
  return order === sorted.join() || order === sorted.reverse().join();
}

const textsOf = (row: Cell[]): string[] => row.flatMap((cell) => cell?.trim() || []);

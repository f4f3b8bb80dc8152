import { shorten } from '../../../text/shorten.ts';

/** A table row: its cells by column, and whether it is a header, or looks like one. */
export type TableRow = {
  cells: { text: string; column: number; span: number }[];
  isHeader: boolean;
  isBold?: boolean;
};

/** Column names are truncated to this length, since they are repeated with each cell. */
const maxName = 60;

/**
 * Renders the rows of a table as lines: `Plan: Basic | Price: 10 €`. If a row names the columns, each cell below is
 * prefixed with its name, so that a row makes sense on its own. Without names: `Basic | 10 €`.
 */
export function tableLines(rows: TableRow[]): string[] {
  const lines: string[] = [];
  const isNamed = rows.some(({ isHeader }) => isHeader);
  const looksNamed = !isNamed && firstNames(rows);
  let names = new Map<number, string>();
  let pendingLines: string[] = [];
  let wasHeader = false;
  for (const [index, row] of rows.entries()) {
    const plain = row.cells.flatMap(({ text }) => text || []).join(' | ');
    if (!plain) continue;
    const header = row.isHeader || (looksNamed && index === 0);
    if (header) {
      if (!wasHeader) names = new Map();
      name(names, row);
      pendingLines.push(plain);
    } else {
      // Names that are too long to repeat in full are printed once.
      if (pendingLines.some((line) => line.length > maxName * row.cells.length)) lines.push(...pendingLines);
      pendingLines = [];
      lines.push(named(row, names));
    }
    wasHeader = header;
  }
  return [...lines, ...pendingLines];
}

/** Merges header rows: `Price` above `Monthly` makes the column `Price Monthly`. */
function name(names: Map<number, string>, { cells }: TableRow): void {
  for (const { text, column, span } of cells) {
    for (let at = column; at < column + span; at++) {
      const above = names.get(at);
      const words = above && above !== text ? `${above} ${text}` : text;
      names.set(at, shorten(words, maxName));
    }
  }
}

const named = ({ cells }: TableRow, names: Map<number, string>): string =>
  cells
    .flatMap(({ text, column, span }) => {
      const columnName = span === 1 ? names.get(column) : undefined;
      if (!text) return [];
      return columnName && columnName !== text ? `${columnName.replace(/:$/, '')}: ${text}` : text;
    })
    .join(' | ');

/**
 * Whether the first row looks like a header though the markup has none: only it is bold or, with three columns or more,
 * it consists of different words, and some column below is all numbers.
 */
function firstNames([first, ...below]: TableRow[]): boolean {
  const texts = first?.cells.map(({ text }) => text) ?? [];
  if (texts.length < 2 || below.length === 0) return false;
  if (first?.isBold) return !below[0]?.isBold;
  const words = texts.every((text) => /\p{L}/u.test(text) && !/\d/.test(text) && text.length <= maxName);
  if (texts.length < 3 || below.length < 2 || !words || new Set(texts).size < texts.length) return false;
  return texts.some((_, column) => below.every(({ cells }) => /\d/.test(cells[column]?.text ?? '')));
}

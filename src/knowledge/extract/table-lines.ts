/** A row of a table in a document: its cells by their columns, and whether it names the columns, or looks as if it did. */
export type TableRow = {
  cells: { text: string; column: number; span: number }[];
  isHeader: boolean;
  isBold?: boolean;
};

/** Of the name of a column: it stands with each of its cells. */
const maxName = 60;

/**
 * The rows of a table as lines, `Plan: Basic | Price: 10 €`: where a row names the columns, each cell below stands with its
 * name, so that a row can be read alone. Without names, `Basic | 10 €`.
 */
export function tableLines(rows: TableRow[]): string[] {
  const lines: string[] = [];
  const isNamed = rows.some(({ isHeader }) => isHeader);
  const looksNamed = !isNamed && firstNames(rows);
  let names = new Map<number, string>();
  let waiting: string[] = [];
  let wasHeader = false;
  for (const [index, row] of rows.entries()) {
    const plain = row.cells.flatMap(({ text }) => text || []).join(' | ');
    if (!plain) continue;
    const header = row.isHeader || (looksNamed && index === 0);
    if (header) {
      if (!wasHeader) names = new Map();
      name(names, row);
      waiting.push(plain);
    } else {
      // Names that are too long to stand with each cell are said once.
      if (waiting.some((line) => line.length > maxName * row.cells.length)) lines.push(...waiting);
      waiting = [];
      lines.push(named(row, names));
    }
    wasHeader = header;
  }
  return [...lines, ...waiting];
}

/** Names of two rows go together: `Price` above `Monthly` names the column `Price Monthly`. */
function name(names: Map<number, string>, { cells }: TableRow): void {
  for (const { text, column, span } of cells) {
    for (let at = column; at < column + span; at++) {
      const above = names.get(at);
      const words = above && above !== text ? `${above} ${text}` : text;
      names.set(
        at,
        words.length > maxName
          ? `${words
              .slice(0, maxName - 1)
              .toWellFormed()
              .trimEnd()}…`
          : words,
      );
    }
  }
}

const named = ({ cells }: TableRow, names: Map<number, string>): string =>
  cells
    .flatMap(({ text, column, span }) => {
      const said = span === 1 ? names.get(column) : undefined;
      if (!text) return [];
      return said && said !== text ? `${said.replace(/:$/, '')}: ${text}` : text;
    })
    .join(' | ');

/**
 * Whether the first of rows without markup names the columns: it alone is bold, or of three columns and more all is words,
 * all different, and a column below is numbers throughout.
 */
function firstNames([first, ...below]: TableRow[]): boolean {
  const texts = first?.cells.map(({ text }) => text) ?? [];
  if (texts.length < 2 || below.length === 0) return false;
  if (first?.isBold) return !below[0]?.isBold;
  const words = texts.every((text) => /\p{L}/u.test(text) && !/\d/.test(text) && text.length <= maxName);
  if (texts.length < 3 || below.length < 2 || !words || new Set(texts).size < texts.length) return false;
  return texts.some((_, column) => below.every(({ cells }) => /\d/.test(cells[column]?.text ?? '')));
}

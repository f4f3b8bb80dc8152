import type { Section } from '../../search/types.ts';
import { cleanLine } from './clean.ts';

/** Column names are truncated to this length, since they are repeated with each cell. */
const maxName = 60;
/** About the length of a passage, so that each passage has its own range of rows. */
const maxCharacters = 1_000;

type Grid = { rows: (string | null)[][]; sheet?: string | undefined };

/**
 * Divides a table into sections of a few rows each, which carry their sheet and rows (`2–17`, counted as in the
 * original program). If the first row names the columns, each cell is prefixed with its name, so that a row makes sense
 * on its own.
 */
export function readGrid({ rows, sheet }: Grid): Section[] {
  const names = columnNames(rows);
  const sections: Section[] = [];
  let lines: string[] = [];
  let first = 0;
  let last = 0;
  const flush = () => {
    const place = { ...(sheet && { sheet }), rows: first === last ? `${first}` : `${first}–${last}` };
    if (lines.length > 0) sections.push({ ...place, text: lines.join('\n') });
    lines = [];
  };
  let length = 0;
  for (const [index, row] of rows.entries()) {
    if (row === names?.row && !names.isCut) continue;
    const line = lineOf(row, row === names?.row ? undefined : names?.names);
    if (!line) continue;
    if (lines.length > 0 && length + line.length > maxCharacters) flush();
    if (lines.length === 0) {
      first = index + 1;
      length = 0;
    }
    last = index + 1;
    length += line.length + 1;
    lines.push(line);
  }
  flush();
  return sections;
}

type Names = { row: (string | null)[]; names: string[]; isCut: boolean };

/**
 * The first non-empty row, if it can be the header: all words, all different, with rows below. `isCut`: some names had
 * to be truncated.
 */
function columnNames(rows: (string | null)[][]): Names | null {
  const index = rows.findIndex((row) => row.some((cell) => cell?.trim()));
  const row = rows[index];
  if (!row || index + 1 >= rows.length) return null;
  const names = row.map((cell) => cleanLine(cell, maxName) ?? '');
  const filledNames = names.filter(Boolean);
  const named =
    filledNames.length > 1 &&
    new Set(filledNames).size === filledNames.length &&
    filledNames.every((name) => /\p{L}/u.test(name));
  const isCut = row.some((cell) => (cleanLine(cell)?.length ?? 0) > maxName);
  return named ? { row, names, isCut } : null;
}

function lineOf(row: (string | null)[], names: string[] | undefined): string {
  const cells = row.flatMap((cell, column) => {
    const text = cleanLine(cell);
    const name = names?.[column];
    return text ? [name ? `${name}: ${text}` : text] : [];
  });
  return cells.join(' | ');
}

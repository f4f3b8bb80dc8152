import type { Section } from '../../search/types.ts';
import { cleanLine } from './clean.ts';

/** Of the name of a column: it stands with each of its cells. */
const maxName = 60;
/** About the length of a passage, so that one is found by its rows and says which they are. */
const maxCharacters = 1_000;

type Grid = { rows: (string | null)[][]; sheet?: string | undefined };

/**
 * A table as sections of some rows each, that know their sheet and rows (`2–17`, as the program that made it counts
 * them). Where the first row names the columns, each cell stands with its name, so that a row can be read alone.
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
 * The first row with words, if it can be the names of the columns: all words, all different, with rows below. `isCut`:
 * some are longer than what stands with their cells.
 */
function columnNames(rows: (string | null)[][]): Names | null {
  const index = rows.findIndex((row) => row.some((cell) => cell?.trim()));
  const row = rows[index];
  if (!row || index + 1 >= rows.length) return null;
  const names = row.map((cell) => cleanLine(cell, maxName) ?? '');
  const said = names.filter(Boolean);
  const named = said.length > 1 && new Set(said).size === said.length && said.every((name) => /\p{L}/u.test(name));
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

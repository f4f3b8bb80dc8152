import type { Section } from '../extract.ts';
import { cleanLine } from './clean.ts';

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
    if (names && row === names.row) continue;
    const line = lineOf(row, names?.names);
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

/** The first row with words, if it can be the names of the columns: all words, all different, with rows below. */
function columnNames(rows: (string | null)[][]): { row: (string | null)[]; names: string[] } | null {
  const index = rows.findIndex((row) => row.some((cell) => cell?.trim()));
  const row = rows[index];
  if (!row || index + 1 >= rows.length) return null;
  const names = row.map((cell) => cleanLine(cell, 60) ?? '');
  const said = names.filter(Boolean);
  const named = said.length > 1 && new Set(said).size === said.length && said.every((name) => /\p{L}/u.test(name));
  return named ? { row, names } : null;
}

function lineOf(row: (string | null)[], names: string[] | undefined): string {
  const cells = row.flatMap((cell, column) => {
    const text = cleanLine(cell, 10_000);
    const name = names?.[column];
    return text ? [name ? `${name}: ${text}` : text] : [];
  });
  return cells.join(' | ');
}

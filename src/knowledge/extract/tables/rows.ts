import type { Section } from '../../../search/types.ts';
import { cleanLine } from '../clean.ts';
import { type Cell, type Grid, shownRows } from './grid.ts';
import { headerOf } from './names.ts';

/** About the length of a passage, so that each passage has its own range of rows. */
const maxCharacters = 1_000;
const maxHeading = 200;

/**
 * Divides a table into sections of a few rows each, which carry their sheet and rows (`2–17`, counted as in the
 * original program), and the titles above its header as their heading. If its first rows name the columns, each cell is
 * prefixed with its name, so that a row makes sense on its own.
 */
export function readGrid(grid: Grid): Section[] {
  const { sheet, merges } = grid;
  const rows = shownRows(grid);
  const header = headerOf(rows, merges);
  const heading = header ? cleanLine(header.titles.join(' › '), maxHeading) : undefined;
  const banners = new Set(merges?.flatMap(({ row, columns }) => (columns > 1 ? [row] : [])));
  const sections: Section[] = [];
  let lines: string[] = [];
  let first = 0;
  let last = 0;
  let length = 0;
  const flush = () => {
    const place = { ...(sheet && { sheet }), rows: first === last ? `${first}` : `${first}–${last}` };
    if (lines.length > 0) sections.push({ ...place, ...(heading && { heading }), text: lines.join('\n') });
    lines = [];
  };
  const start = header && !header.isCut ? header.to : (header?.from ?? 0);
  for (let index = start; index < rows.length; index++) {
    const names = header && index >= header.to ? header.names : undefined;
    const line = lineOf(rows[index] ?? [], names, banners.has(index));
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

/** A row as a line; a text that is merged over all of it stands there once. */
function lineOf(row: Cell[], names: string[] | undefined, isMerged: boolean): string {
  const texts = row.map((cell) => cleanLine(cell));
  const [only, ...others] = isMerged ? new Set(texts.filter(Boolean)) : [];
  if (only && others.length === 0) return only;
  return texts
    .flatMap((text, column) => {
      const name = names?.[column];
      return text ? [name ? `${name}: ${text}` : text] : [];
    })
    .join(' | ');
}

import { cleanLine } from '../clean.ts';
import { createOutline } from '../outline.ts';
import { count } from '../ranges.ts';
import { tableLines } from '../tables/table-lines.ts';
import type { Extracted } from '../types.ts';

/** A cell of a table; `span`: over how many columns. */
export type ProseCell = { text: string; span?: number };
export type Prose = ReturnType<typeof createProse>;
type Blocks = {
  heading(level: number, text: string): void;
  item(mark: string): void;
  code(text: string): void;
  table(rows: ProseCell[][], headers: number): void;
};

/** Stands for the end of a line that is not one of the file. */
export const lineBreak = '\u2028';

/** A file with line feeds only: one of the file's own ends a line, too. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?|[\u2028\u2029]/g, '\n');

/**
 * Collects the parts of a text with marks (LaTeX, Org, AsciiDoc, reStructuredText). `plain` takes the marks out of a
 * line or paragraph.
 */
export function createProse(plain: (text: string) => string) {
  const outline = createOutline();
  let lines: string[] = [];
  let bullet = '';
  const notes: string[] = [];
  let title: string | undefined;
  const missing = { pictures: 0, files: 0, raw: 0 };
  const written = (text: string) =>
    plain(text)
      .replace(/[ \t]+/g, ' ')
      .replace(/ ?\u2028 ?/g, '\n')
      .trim();
  const writeNotes = () => {
    for (const note of notes.splice(0)) outline.block(`[*] ${written(note)}`);
  };
  const flush = () => {
    const text = written(lines.join(' '));
    lines = [];
    if (!text) return;
    outline.block(bullet + text, Boolean(bullet));
    bullet = '';
    writeNotes();
  };
  const rowsOf = (rows: ProseCell[][], headers: number): string[] =>
    tableLines(
      rows.map((cells, index) => {
        let column = 0;
        const row = cells.map(({ text, span = 1 }) => {
          column += span;
          return { text: written(text).replace(/\s+/g, ' '), column: column - span, span };
        });
        return { cells: row, isHeader: index < headers };
      }),
    );
  return {
    /** A line of a paragraph or item; an empty one ends it. */
    line(text: string): void {
      if (text.trim()) lines.push(text.replace(/[ \t]+/g, ' ').replace(/^ | $/g, ''));
      else flush();
    },
    heading(level: number, text: string): void {
      flush();
      bullet = '';
      outline.heading(level, written(text));
    },
    /** Begins an item of a list. */
    item(mark: string): void {
      flush();
      bullet = `${mark} `;
    },
    code(text: string): void {
      flush();
      outline.block(text.replace(/^\s*\n/, '').trimEnd());
    },
    table(rows: ProseCell[][], headers: number): void {
      flush();
      for (const row of rowsOf(rows, headers)) outline.block(row, true);
    },
    /** Takes blocks that stand within a text, such as a note, as lines of it. */
    within(add: (text: string) => void): Blocks {
      const lines = (all: string[]) => add(['', ...all, ''].join(lineBreak));
      return {
        heading: (_, text) => lines([text]),
        item: (mark) => add(`${lineBreak}${mark} `),
        code: (text) => lines(text.split('\n')),
        table: (rows, headers) => lines(rowsOf(rows, headers)),
      };
    },
    /** A note at the foot, which follows the paragraph. */
    note(text: string): void {
      notes.push(text);
    },
    title(text: string): void {
      title ??= cleanLine(written(text), 300);
    },
    misses(what: keyof typeof missing): void {
      missing[what]++;
    },
    end(): Extracted {
      flush();
      writeNotes();
      const { pictures, files, raw } = missing;
      const warnings = [
        ...(pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : []),
        ...(files ? [`${count(files, 'file that it includes is', 'files that it includes are')} not read`] : []),
        ...(raw ? [`${count(raw, 'block of raw HTML is', 'blocks of raw HTML are')} not read`] : []),
      ];
      return { ...(title && { title }), sections: outline.end(), ...(warnings.length > 0 && { warnings }) };
    },
  };
}

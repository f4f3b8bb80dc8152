import { cleanLine, cleanText } from '../clean.ts';
import { createOutline } from '../outline.ts';
import { type TableRow, tableLines } from '../tables/table-lines.ts';
import type { Extracted } from '../types.ts';

/**
 * Reads Markdown, divided by its headings (`#`, or underlined with `=` or `-`), leaving code alone; plain text is
 * Markdown without headings.
 */
export function readMarkdown(source: string): Extracted {
  const { meta, body } = splitFrontMatter(cleanText(source));
  const outline = createOutline();
  let lines: string[] = [];
  let fence: string | null = null;
  let firstHeading: string | undefined;
  const flush = () => {
    outline.block(lines.join('\n'));
    lines = [];
  };
  const head = (level: number, text: string) => {
    flush();
    if (level === 1) firstHeading ??= text;
    outline.heading(level, text);
  };
  const bodyLines = body.split('\n');
  for (let at = 0; at < bodyLines.length; at++) {
    const line = bodyLines[at] ?? '';
    const table = fence ? null : tableAt(bodyLines, at);
    if (table) {
      flush();
      for (const row of table.lines) outline.block(row, true);
      at = table.end - 1;
      continue;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = null;
    // Longer lines are no headings, and would make the regular expression slow.
    const atx = fence || line.length > 300 ? null : /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*$/.exec(line);
    const previous = lines.at(-1)?.trim();
    if (atx) head(atx[1]?.length ?? 1, atx[2] ?? '');
    else if (!fence && previous && /^ {0,3}={3,}$/.test(line)) head(1, lines.pop() ?? '');
    else if (!fence && /^ {0,3}-{3,}$/.test(line) && isTitle(lines)) head(2, lines.pop() ?? '');
    else lines.push(line);
  }
  flush();
  const title = cleanLine(meta.title ?? firstHeading, 300);
  const description = cleanLine(meta.description, 1_000);
  return { ...(title && { title }), ...(description && { description }), sections: outline.end() };
}

/** Whether the last line stands alone and may be a title: words, not a sentence, an item or the value of a record. */
const isTitle = (lines: string[]): boolean => {
  const [before = '', last = ''] = lines.length > 1 ? lines.slice(-2) : ['', lines[0]];
  const isOther = /^( {4}|\t)|^\s*([-*+>|]|\d+[.)]\s)|^[\w -]+: |[.,;:]\s*$/.test(last.slice(0, 201));
  return !before.trim() && last.length <= 200 && /\p{L}/u.test(last) && !isOther;
};

/** Splits off front matter: `key: value` lines at the start, between two lines of `---`. */
function splitFrontMatter(text: string): { meta: Record<string, string>; body: string } {
  const match = /^---\n([\s\S]{0,10000}?)\n---(?:\n|$)/.exec(text);
  if (!match?.[1]?.includes(':')) return { meta: {}, body: text };
  const pairs = [...match[1].matchAll(/^(\w+):[ \t]*["']?(.*?)["']?$/gm)].map(([, key, value]) => [key, value]);
  return { meta: Object.fromEntries(pairs), body: text.slice(match[0].length) };
}

const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** Longer lines are no rows, and would make the regular expressions slow. */
const maxLength = 10_000;

/** The table that starts at a line, each of its rows with the names of the columns, and the line after it; or null. */
function tableAt(lines: string[], start: number): { lines: string[]; end: number } | null {
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

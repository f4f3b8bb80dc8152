import { scriptDigits } from '../script-digits.ts';
import type { Extracted } from '../types.ts';
import { formulaOf } from './latex-math.ts';
import { createProse, lineBreak, type Prose, withLineFeeds } from './prose.ts';

/** Blocks whose words are kept as they are, and those that are not shown. */
const verbatim = /^(src|example)$/i;
const unseen = /^(comment|export)$/i;
/** Lines of a drawer; one that is longer was never closed. */
const maxDrawer = 500;

/** Reads Org by its headlines, with tables, lists and code; without drawers, comments and settings. */
export function readOrg(source: string): Extracted {
  const lines = withLineFeeds(source).split('\n');
  const prose = createProse(plain);
  /** The level of a headline that is not exported, with all below it. */
  let hidden = Number.POSITIVE_INFINITY;
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').slice(0, 20_000);
    const [, stars = '', words = ''] = /^(\*+)[ \t]+(.*)$/.exec(line) ?? [];
    if (stars) {
      if (stars.length <= hidden) hidden = Number.POSITIVE_INFINITY;
      const [, tags = ''] = /[ \t](:[\w@#%:]+:)$/.exec(words.trimEnd()) ?? [];
      if (/^COMMENT\b/.test(words) || tags.includes(':noexport:')) hidden = Math.min(hidden, stars.length);
      if (hidden === Number.POSITIVE_INFINITY) {
        const title = words.slice(0, tags ? words.lastIndexOf(tags) : undefined);
        prose.heading(stars.length, title.replace(/\[#\w\] ?/, ''));
      }
    } else if (hidden === Number.POSITIVE_INFINITY) at = readLine(prose, lines, at, line);
  }
  return prose.end();
}

/** Reads what begins at a line, and returns the last line of it. */
function readLine(prose: Prose, lines: string[], at: number, line: string): number {
  const [, block] = /^\s*#\+begin_(\w+)/i.exec(line) ?? [];
  if (block && (verbatim.test(block) || unseen.test(block))) {
    const end = find(lines, at, new RegExp(`^\\s*#\\+end_${block}\\b`, 'i'));
    const code = lines.slice(at + 1, end).map((each) => each.replace(/^,([*#])/, '$1'));
    if (verbatim.test(block)) prose.code(code.join('\n'));
    return end;
  }
  if (/^\s*:[\w-]+:\s*$/.test(line)) {
    const end = find(lines, at, /^\s*:END:\s*$/i, at + maxDrawer);
    return end < at + maxDrawer && end < lines.length ? end : at;
  }
  if (/^\s*\|/.test(line)) return readTable(prose, lines, at);
  if (/^\s*:(\s|$)/.test(line)) {
    let end = at;
    while (/^\s*:(\s|$)/.test(lines[end] ?? '')) end++;
    const code = lines.slice(at, end).map((each) => each.replace(/^\s*: ?/, ''));
    prose.code(code.join('\n'));
    return end - 1;
  }
  const [, key = '', value = ''] = /^\s*#\+(\w+)(?:\[[^\]]*\])?:\s*(.*)$/.exec(line) ?? [];
  const [, mark, item = ''] = /^\s*([-+]|\d+[.)]|\s\*)[ \t]+(.*)$/.exec(line) ?? [];
  const [, note] = /^\[fn:[\w-]+\]\s+(.*)$/.exec(line) ?? [];
  if (/^title$/i.test(key)) prose.title(value);
  else if (/^caption$/i.test(key)) {
    prose.line('');
    prose.line(value);
  } else if (/^include$/i.test(key)) prose.misses('files');
  else if (note) {
    prose.line('');
    prose.line(`[*] ${note}`);
  } else if (mark) {
    prose.item(/\d/.test(mark) ? mark : '-');
    prose.line(item.replace(/^(.{1,200}?)[ \t]::[ \t]/, '$1: ').replace(/\\\\$/, lineBreak));
  } else if (!/^\s*#(\+|\s|$)/.test(line) && !/^\s*-{5,}\s*$/.test(line)) {
    if (/\[\[[^[\]]*\.(png|jpe?g|gif|svg|webp|pdf)\]\]/i.test(line)) prose.misses('pictures');
    const isPlanned = /^\s*(SCHEDULED|DEADLINE|CLOSED): /.test(line);
    prose.line(isPlanned ? `${line}${lineBreak}` : line.replace(/\\\\\s*$/, lineBreak));
  } else if (/^\s*#\+end_/i.test(line)) prose.line('');
  return at;
}

function readTable(prose: Prose, lines: string[], start: number): number {
  let end = start;
  const rows: string[][] = [];
  let headers = 0;
  for (; /^\s*\|/.test(lines[end] ?? ''); end++) {
    const line = (lines[end] ?? '').trim();
    if (/^\|[-+]+\|?$/.test(line)) headers ||= rows.length === 1 || rows.length === 2 ? rows.length : 0;
    else rows.push(line.replace(/^\||\|$/g, '').split('|'));
  }
  const isFormat = (row: string[]) => row.every((cell) => /^(<[lrc]?\d*>)?$/.test(cell.trim()));
  prose.table(
    rows.filter((row) => !isFormat(row)).map((row) => row.map((text) => ({ text }))),
    headers,
  );
  return end - 1;
}

function find(lines: string[], at: number, pattern: RegExp, limit = lines.length): number {
  for (let line = at + 1; line < limit; line++) if (pattern.test(lines[line] ?? '')) return line;
  return limit;
}

const emphasis = /(^|[\s\-({'"\u2028])([*/_=~+])(\S|\S[^\n]{0,500}?\S)\2(?=$|[\s\-.,;:!?'")}\u2028])/g;

/** A text without its marks; what is struck out is left out. */
function plain(text: string): string {
  let words = text
    .replace(/\\\((.{1,500}?)\\\)|\\\[(.{1,500}?)\\\]/g, (_, one?: string, other?: string) =>
      formulaOf(one ?? other ?? ''),
    )
    .replace(/\[\[[^[\]]*\]\[([^[\]]*)\]\]/g, '$1')
    .replace(/\[\[(?:file:)?([^[\]]*)\]\]/g, (_, to: string) => (/\.(png|jpe?g|gif|svg|webp|pdf)$/i.test(to) ? '' : to))
    .replace(/[<[](\d{4}-\d\d-\d\d[^<>[\]\n]{0,40})[>\]]/g, '$1')
    .replace(/\[fn:[\w-]*(?::([^[\]]*))?\]/g, (_, note?: string) => (note ? ` (${note})` : ''))
    .replace(
      /([\^_])\{([^{}]*)\}/g,
      (all, how: string, it: string) => scriptDigits(it, how === '^' ? 'sup' : 'sub') ?? all,
    )
    .replace(/<<[^<>\n]*>>/g, '');
  // Marks nest: /*both*/.
  for (let depth = 0; depth < 3; depth++) {
    words = words.replace(emphasis, (_, before: string, mark: string, it: string) => before + (mark === '+' ? '' : it));
  }
  return words;
}

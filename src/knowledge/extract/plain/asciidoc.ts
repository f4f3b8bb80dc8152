import { scriptDigits } from '../script-digits.ts';
import { readDelimited } from '../tables/csv.ts';
import type { Extracted } from '../types.ts';
import { formulaOf } from './latex-math.ts';
import { createProse, lineBreak, type Prose, type ProseCell, withLineFeeds } from './prose.ts';

/** What a page replaces these by, unless the file sets them. */
const builtIn: [string, string][] = [
  ['nbsp', ' '],
  ['zwsp', ''],
  ['empty', ''],
  ['blank', ''],
  ['sp', ' '],
  ['plus', '+'],
  ['asterisk', '*'],
  ['tilde', '~'],
  ['vbar', '|'],
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
];
const maxAttribute = 1_000;
/** Longer lines are no prose, and would make the regular expressions slow. */
const maxLine = 20_000;
const underlines = ['=', '-', '~', '^', '+'];

/** Reads AsciiDoc by its titles, with tables, lists and listings; without comments, settings and anchors. */
export function readAsciidoc(source: string): Extracted {
  const lines = withLineFeeds(source).split('\n');
  const attributes = new Map(builtIn);
  const prose = createProse((text) => plain(text, attributes));
  /** The last position of each line of signs, which may not be closed. */
  const fences = new Map(
    lines.flatMap((line, at): [string, number][] => (/^[/+]{4,}\s*$/.test(line) ? [[line.trimEnd(), at]] : [])),
  );
  /** Of the block to come: `[%header,cols=2]`. */
  let style = '';
  let isHead = false;
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').slice(0, maxLine).trimEnd();
    const underlined = underlines.indexOf(underlineOf(lines, at)) + 1;
    const [, marks = '', given = ''] = /^(={1,6}|#{1,6}) (\S.*)$/.exec(line) ?? [];
    const [level, title] = underlined ? [underlined, line] : [marks.length, given];
    const [, name, value = ''] = /^:!?([\w-]+)!?:(?: (.*))?$/.exec(line) ?? [];
    const [fence = ''] = /^(-{4,}|\.{4,}|\+{4,}|\/{4,}|[|,:]={3,})$|^`{3,}/.exec(line) ?? [];
    if (/^[/+]/.test(fence) && fences.get(fence) === at) prose.line('');
    else if (fence && !underlined) {
      at = readBlock(prose, lines, at, fence, style);
      style = '';
    } else if (name) attributes.set(name.toLowerCase(), value.slice(0, maxAttribute));
    else if (level && !/^(discrete|float)/.test(style)) {
      if (level === 1) prose.title(title);
      isHead = level === 1;
      prose.heading(level, title);
      if (underlined) at++;
    } else if (/^\[.*\]$/.test(line)) {
      prose.line('');
      style = line.slice(1, -1);
      if (/^(NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/.test(style)) prose.line(`${style}:`);
    } else if (!line) {
      prose.line('');
      isHead = false;
    } else if (!isHead) {
      readLine(prose, level ? title : line);
      style = '';
    }
  }
  return prose.end();
}

/** The sign that underlines a title, which stands alone and is about as long. */
function underlineOf(lines: string[], at: number): string {
  const [title = '', below = ''] = [lines[at]?.trimEnd(), lines[at + 1]?.trimEnd()];
  const isTitle = /^[^\s.[|:=].*\w/.test(title.slice(0, 200)) && !lines[at - 1]?.trim();
  return isTitle && /^([=\-~^+])\1{3,}$/.test(below) && Math.abs(title.length - below.length) <= 2
    ? (below[0] ?? '')
    : '';
}

/** Reads a block between two lines of signs, and returns the second one's position. */
function readBlock(prose: Prose, lines: string[], at: number, fence: string, style: string): number {
  let end = at + 1;
  while (end < lines.length && lines[end]?.trimEnd() !== fence) end++;
  const inner = lines.slice(at + 1, end);
  if (fence.startsWith('|')) readTable(prose, inner, style);
  else if (/^[,:]/.test(fence)) readTable(prose, inner, `${style},format=${fence.startsWith(',') ? 'csv' : 'dsv'}`);
  else if (fence.startsWith('+')) readPassed(prose, inner.join('\n'), style);
  else if (/^[-.`]/.test(fence)) {
    const isIncluded = (line: string) => /^include::\S+\[.*\]$/.test(line);
    for (const line of inner) if (isIncluded(line)) prose.misses('files');
    const code = inner.filter((line) => !isIncluded(line)).map(withoutCallout);
    prose.code(code.join('\n'));
  }
  return end;
}

/** Reads what is passed on as it is: a formula, or what a browser would read. */
function readPassed(prose: Prose, text: string, style: string): void {
  const isFormula = /^(stem|latexmath|asciimath)\b/.test(style);
  prose.line('');
  if (isFormula) prose.line(formulaOf(text));
  else if (text.trim()) prose.misses('raw');
  prose.line('');
}

/** A line of code without the number, in a comment or not, by which it is explained below. */
function withoutCallout(line: string): string {
  const code = line.trimEnd().replace(/<[\d.]{1,4}>$/, '');
  return code.length < line.trimEnd().length
    ? code
        .trimEnd()
        .replace(/(\/\/|#)$/, '')
        .trimEnd()
    : line;
}

function readLine(prose: Prose, line: string): void {
  if (line.startsWith('//')) return;
  const [, what, , alt = ''] =
    /^(image|video|audio|include|toc|ifdef|ifndef|ifeval|endif)::([^[]*)\[([^\]]*)\]$/.exec(line) ?? [];
  const [, mark = '', item = ''] = /^\s*(\*{1,5}|-|\.{1,5}|\d+\.|<[\d.]+>)[ \t]+(\S.*)$/.exec(line) ?? [];
  const [, term, meaning = ''] = /^\s*(\S.{0,200}?)(?:::+|;;)(?:[ \t]+(.*))?$/.exec(line) ?? [];
  if (what) {
    prose.line('');
    if (what === 'image') prose.misses('pictures');
    if (what === 'include') prose.misses('files');
    const [words = ''] = alt.split(',', 1);
    if (what === 'image' && words && !words.includes('=')) prose.line(`${words}${lineBreak}`);
  } else if (/^('{3,}$|<{3,}$|\+$|--$|={4,}$|\*{4,}$|_{4,}$)/.test(line)) prose.line('');
  else if (/^\.[^\s.]/.test(line)) {
    prose.line('');
    prose.line(`${line.slice(1)}${lineBreak}`);
  } else if (mark) {
    prose.item(/^\d/.test(mark) ? mark : '-');
    prose.line(item.replace(/^\[[ x*]\] /, '').replace(/ \+$/, lineBreak));
  } else if (term) {
    prose.item('-');
    prose.line(`${term}: ${meaning}`);
  } else prose.line(line.replace(/ \+$/, lineBreak));
}

/** How much cells that are written once and stand for several may be repeated, in characters. */
const maxRepeated = 20_000;
/** Cells follow each other, on as many lines as they like: `2+|` spans columns, `a|` has a style. */
const cell = /(?:(?:^|[ \t])((?:\d+\*|\d*(?:\.\d+)?\+)?(?:[<^>](?:\.[<^>])?|\.[<^>])?[adehlmsv]?))?(?<!\\)\|/gm;

function readTable(prose: Prose, lines: string[], style: string): void {
  const format = /\bformat="?(csv|tsv|dsv)/.exec(style)?.[1];
  const first = lines.findIndex((line) => line.trim());
  const isImplicit = first === 0 && lines.length > 1 && !lines[1]?.trim();
  const headers = /%header|options="?[^"]{0,100}header/.test(style) || (isImplicit && !/%noheader/.test(style)) ? 1 : 0;
  if (format) {
    const delimiter = format === 'csv' ? ',' : format === 'tsv' ? '\t' : ':';
    const rows = readDelimited(lines.join('\n').trim(), delimiter);
    return prose.table(
      rows.map((row) => row.map((text) => ({ text: text ?? '' }))),
      headers,
    );
  }
  const width = widthOf(style) || cellsOf(lines[Math.max(0, first)] ?? '').reduce((sum, { span = 1 }) => sum + span, 0);
  const rows: ProseCell[][] = [];
  let room = 0;
  for (const each of cellsOf(lines.join('\n'))) {
    if (room <= 0) {
      rows.push([]);
      room = Math.max(1, width);
    }
    rows.at(-1)?.push(each);
    room -= each.span ?? 1;
  }
  prose.table(rows, headers);
}

/** `cols="1,2a,3"`, `cols=3*`, `cols="2*,1"`; a number alone is that many columns: `cols=3`. */
function widthOf(style: string): number {
  const columns = /\bcols="([^"]*)"|\bcols=([\w*]+)/.exec(style)?.slice(1).find(Boolean) ?? '';
  if (/^\s*\d+\s*$/.test(columns)) return Number(columns);
  const parts = columns.split(/[,;]/).filter((part) => part.trim());
  return parts.reduce((sum, part) => sum + (Number(/^\s*(\d+)\*/.exec(part)?.[1]) || 1), 0);
}

function cellsOf(text: string): ProseCell[] {
  const found = [...text.matchAll(cell)];
  let left = maxRepeated;
  return found.flatMap(({ 0: mark, 1: spec = '', index }, at): ProseCell[] => {
    const end = found[at + 1]?.index ?? text.length;
    const words = text
      .slice(index + mark.length, end)
      .replaceAll('\\|', '|')
      .trim();
    const copies = Math.floor(left / (words.length + 1));
    const repeated = Math.min(50, 1 + copies, Number(/^(\d+)\*/.exec(spec)?.[1]) || 1);
    left -= (repeated - 1) * (words.length + 1);
    const span = Math.min(50, Number(/^(\d+)(?:\.\d+)?\+/.exec(spec)?.[1]) || 1);
    return Array.from({ length: repeated }, () => ({ text: words, span }));
  });
}

const marks: [RegExp, string][] = [
  [/\[[^\][\n]{0,100}line-through[^\][\n]{0,100}\]([#*_`]{1,2})\S[^\n]{0,500}?\1/g, ''],
  [/\[[\w.%#-]+\](?=[#*_`])/g, ''],
  [/(^|[^\w*])\*([^\s*][^*\n]{0,500}?)\*(?=$|[^\w*])/g, '$1$2'],
  [/(^|[^\w_])_([^\s_][^_\n]{0,500}?)_(?=$|[^\w_])/g, '$1$2'],
  [/(^|[^\w`])`\+?([^\s`][^`\n]{0,500}?)\+?`(?=$|[^\w`])/g, '$1$2'],
  [/(^|[^\w#&])#([^\s#][^#\n]{0,500}?)#(?=$|[^\w#])/g, '$1$2'],
  [/(\*\*|__|``|##)(\S[^\n]{0,500}?)\1/g, '$2'],
];

function plain(text: string, attributes: Map<string, string>): string {
  let words = text
    .replace(/\{([\w-]+)\}/g, (whole, name: string) => attributes.get(name.toLowerCase()) ?? whole)
    .replace(/\[\[[^\][\n]*\]\]|\banchor:[\w-]+\[[^\]]{0,500}\]|\(\(\([^()\n]*\)\)\)|indexterm:\[[^\]]{0,500}\]/g, '')
    .replace(/\(\(([^()\n]+)\)\)/g, '$1')
    .replace(/<<([^<>,\n]+)(?:,([^<>]*))?>>/g, (_, to: string, name?: string) => name?.trim() || to.replace(/^#/, ''))
    .replace(/\bimage:[^\s[:][^\s[]{0,500}\[([^\],]{0,500})(?:,[^\]]{0,500})?\]/g, '$1')
    .replace(/footnote:[\w-]*\[([^\]]{0,1000})\]/g, (_, note: string) => (note ? ` (${note})` : ''))
    .replace(/\bmenu:([^[\n]{1,100})\[([^\]]{0,500})\]/g, (_, name: string, path: string) =>
      [name, path].filter(Boolean).join(' > '),
    )
    .replace(/\b(?:stem|latexmath|asciimath):\[\$?([^\]]{1,500}?)\$?\]/g, (_, formula: string) => formulaOf(formula))
    .replace(/\b(?:kbd|btn|pass|indexterm2):\w*\[([^\]]{0,500})\]/g, '$1')
    .replace(
      /\b(?:link:|xref:|mailto:)([^\s[]{1,1000})\[([^\]]{0,500})\]/g,
      (_, to: string, name: string) => name.replace(/\^$|,.*$/, '') || to,
    )
    .replace(
      /\b(https?:\/\/[^\s[\]<>]{1,1000})\[([^\]]{0,500})\]/g,
      (_, to: string, name: string) => name.replace(/\^$|,\s?\w+=.*$/, '') || to,
    )
    .replace(
      /([\^~])([^\s^~]{1,20})\1/g,
      (_, how: string, it: string) => scriptDigits(it, how === '^' ? 'sup' : 'sub') ?? it,
    );
  for (const [mark, by] of marks) words = words.replace(mark, by);
  return words;
}

import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { scriptDigits } from '../script-digits.ts';
import { readDelimited } from '../tables/csv.ts';
import type { Extracted } from '../types.ts';
import { formulaOf } from './latex-math.ts';
import { createProse, type Prose, withLineFeeds } from './prose.ts';
import { gridTable, isGrid, isSimple, listTable, simpleTable } from './restructured-tables.ts';

const underline = /^([!-/:-@[-`{-~])\1+$/;
/** Directives by what is made of them; of any other, its name is left out. */
const listings =
  /^(code|code-block|sourcecode|parsed-literal|math|prompt|doctest|testcode|testoutput|productionlist|highlight-lang)$/;
const unseen =
  /^(toctree|contents|index|raw|meta|highlight|default-role|role|title|tabularcolumns|currentmodule|module|testsetup|testcleanup|graphviz|include-hidden|sectnum|class)$/;
const pictures = /^(image|figure)$/;
const included = /^(include|literalinclude|automodule|autoclass|autofunction)$/;
const admonition =
  /^(note|warning|tip|important|hint|caution|danger|error|attention|seealso|deprecated|versionadded|versionchanged|todo)$/;
const maxDepth = 20;

type State = { prose: Prose; levels: string[]; substitutions: Map<string, string> };

/** Reads reStructuredText by its titles, with tables, lists, listings and notes; without comments and settings. */
export function readRestructured(source: string): Extracted {
  const lines = withLineFeeds(source).replaceAll('\t', '        ').split('\n');
  const substitutions = new Map<string, string>();
  for (const line of lines) {
    const [, name, by] = /^\.\. \|([^|]{1,100})\| replace:: (.{1,500})$/.exec(line) ?? [];
    if (name && by) substitutions.set(name, by);
  }
  const state: State = { prose: createProse((text) => plain(text, substitutions)), levels: [], substitutions };
  walk(state, lines, 0);
  return state.prose.end();
}

const indentOf = (line: string): number => line.search(/\S/);

function walk(state: State, lines: string[], depth: number): void {
  if (depth > maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
  const { prose } = state;
  /** The indentation of the item that this paragraph is; -1 for another paragraph, null between them. */
  let paragraph: number | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trimEnd().slice(0, 20_000);
    const title = depth === 0 ? titleAt(lines, at) : null;
    if (title) {
      const { style, text, lines: taken } = title;
      if (!state.levels.includes(style)) state.levels.push(style);
      if (state.levels.indexOf(style) === 0) prose.title(text);
      prose.heading(state.levels.indexOf(style) + 1, text);
      paragraph = null;
      at += taken - 1;
      continue;
    }
    const explicit = /^(\s*)\.\.(?: (.*))?$/.exec(line);
    if (explicit) {
      const end = blockEnd(lines, at + 1, (explicit[1] ?? '').length + 1);
      readExplicit(state, explicit[2] ?? '', lines.slice(at + 1, end), depth);
      paragraph = null;
      at = end - 1;
      continue;
    }
    const table = isGrid(lines, at) ? gridTable(lines, at) : isSimple(lines, at) ? simpleTable(lines, at) : null;
    if (table) {
      prose.table(table.rows, table.headers);
      paragraph = null;
      at = table.end - 1;
      continue;
    }
    if (paragraph === null && /^\s*>>> /.test(line)) {
      const start = at;
      while (lines[at + 1]?.trim()) at++;
      prose.code(dedented(lines.slice(start, at + 1)).join('\n'));
      continue;
    }
    if (!line.trim() || (underline.test(line.trim()) && line.trim().length >= 4)) {
      prose.line('');
      paragraph = null;
    } else if (isTerm(lines, at)) {
      prose.item('-');
      prose.line(`${line.trim()}:`);
      paragraph = null;
    } else if (paragraph === null || paragraph === indentOf(line)) {
      paragraph = readLine(prose, line) ? indentOf(line) : (paragraph ?? -1);
    } else prose.line(textOf(line));
    if (!line.endsWith('::')) continue;
    let next = at + 1;
    while (next < lines.length && !lines[next]?.trim()) next++;
    const base = Math.max(0, indentOf(line));
    if (indentOf(lines[next] ?? '') <= base) continue;
    const end = blockEnd(lines, at + 1, base + 1);
    prose.code(dedented(lines.slice(at + 1, end)).join('\n'));
    paragraph = null;
    at = end - 1;
  }
  prose.line('');
}

/** The text of a line, without the colons before a listing and the bar of a line that is kept. */
function textOf(line: string): string {
  const before = line.endsWith('::') ? line.slice(0, -2) : line;
  const text = before === line || /\s$/.test(before) ? before : `${before}:`;
  return text.replace(/^\s*\| ?(.*)$/, '$1\u2028');
}

/** Reads a line that may begin an item, and returns whether it does. */
function readLine(prose: Prose, line: string): boolean {
  const [, mark, item = ''] =
    /^\s*([-*+•]|(?:\d{1,3}|[a-zA-Z]|#)[.)]|\((?:\d{1,3}|[a-z])\))[ ]+(\S.*)$/.exec(line) ?? [];
  const [, field, value = ''] = /^\s*:([\w][^:\n]{0,80}):(?: +(.*))?$/.exec(line) ?? [];
  if (mark) {
    prose.item(/\w/.test(mark) ? mark : '-');
    prose.line(item.replace(/::$/, ':'));
  } else if (field && !/^\w+:`/.test(line.trim().slice(1))) {
    prose.item('-');
    prose.line(`${field}: ${value}`);
  } else {
    prose.line(textOf(line));
    return false;
  }
  return true;
}

/** Whether a line is a term, whose meaning follows below it, further in. */
function isTerm(lines: string[], at: number): boolean {
  const [before = '', line = '', below = ''] = [lines[at - 1], lines[at], lines[at + 1]];
  const isPlain = /^\s*[\p{L}\p{N}`*]/u.test(line) && !/^\s*(?:\d{1,3}|[a-zA-Z])[.)] |::$|^\s*\* /.test(line);
  return isPlain && !before.trim() && line.length <= 200 && indentOf(below) > indentOf(line);
}

/** A title with a line of signs below it, and perhaps one above. */
function titleAt(lines: string[], at: number): { style: string; text: string; lines: number } | null {
  const [first = '', second = '', third = ''] = [0, 1, 2].map((step) => (lines[at + step] ?? '').trimEnd());
  if (
    underline.test(first) &&
    first === third &&
    second.trim() &&
    second.length <= first.length + 2 &&
    first.length > 2
  )
    return { style: `${first[0]}${first[0]}`, text: second.trim(), lines: 3 };
  const isText =
    /^\S/.test(first) && !underline.test(first) && !/^(\.\. |[-*+] )/.test(first) && !lines[at - 1]?.trim();
  const isLong =
    second.length >= Math.min(first.length, 4) && second.length > 1 && second.length + 3 >= Array.from(first).length;
  return isText && underline.test(second) && isLong ? { style: second[0] ?? '', text: first, lines: 2 } : null;
}

/** What follows `..`: a directive, a note, a target, or a comment. */
function readExplicit(state: State, text: string, below: string[], depth: number): void {
  const { prose } = state;
  const [, note = '', words = ''] = /^\[([#*\w-]+)\] ?(.*)$/.exec(text) ?? [];
  if (note) {
    prose.line('');
    return walk(state, [`[*] ${words}`, ...dedented(below)], depth + 1);
  }
  const [, name = '', given = ''] = /^(?:\|[^|]{1,100}\| )?([\w][\w:+.-]*)::(?: +(.*))?$/.exec(text) ?? [];
  if (!name || name === 'replace') return;
  const body = dedented(below);
  const start = body.findIndex((line) => !/^:[\w-]+:/.test(line));
  const options = new Map(
    body.slice(0, Math.max(0, start)).map((line): [string, string] => {
      const [, key = '', value = ''] = /^:([\w-]+):\s*(.*)$/.exec(line) ?? [];
      return [key, value];
    }),
  );
  const content = start < 0 ? [] : body.slice(start);
  if (unseen.test(name)) return;
  if (included.test(name)) return prose.misses('files');
  if (pictures.test(name)) {
    prose.misses('pictures');
    const alt = options.get('alt');
    if (alt && content.length === 0) prose.line(alt);
  }
  if (listings.test(name)) return prose.code((name === 'math' && given ? [given, ...content] : content).join('\n'));
  if (name.endsWith('table') && given) prose.line(`${given}\u2028`);
  const headers = Number(options.get('header-rows')) || 0;
  if (name === 'csv-table') {
    if (options.has('file') || options.has('url')) return prose.misses('files');
    const heads = options.get('header') ?? '';
    const text = [heads, ...content].join('\n').replace(/,[ \t]+(?=")/g, ',');
    const rows = readDelimited(text, ',').map((row) => row.map((each) => ({ text: each.trim() })));
    return prose.table(rows, headers + (heads ? 1 : 0));
  }
  if (name === 'list-table') return prose.table(listTable(content), headers);
  if (admonition.test(name)) prose.line(`${name[0]?.toUpperCase()}${name.slice(1)}: ${given}`);
  else if (!pictures.test(name) && name !== 'table' && given) prose.line(given);
  if (!admonition.test(name)) prose.line('');
  walk(state, content, depth + 1);
}

/** The line after a block: the first that is indented less. */
function blockEnd(lines: string[], start: number, indent: number): number {
  let end = start;
  for (let at = start; at < lines.length; at++) {
    const own = indentOf(lines[at] ?? '');
    if (own >= 0 && own < indent) break;
    if (own >= 0) end = at + 1;
  }
  return end;
}

function dedented(lines: string[]): string[] {
  const indents = lines.map(indentOf).filter((indent) => indent >= 0);
  const least = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  const kept = lines.map((line) => line.slice(least === Number.POSITIVE_INFINITY ? 0 : least));
  return kept.slice(Math.max(0, kept[0]?.trim() === '' ? kept.findIndex((line) => line.trim()) : 0));
}

function plain(text: string, substitutions: Map<string, string>): string {
  return text
    .replace(/\|([^|\s][^|\n]{0,99})\|_{0,2}/g, (whole, name: string) => substitutions.get(name) ?? whole)
    .replace(
      /:(sup|sub|superscript|subscript):`([^`]*)`/g,
      (_, how: string, it: string) => scriptDigits(it, how.startsWith('sup') ? 'sup' : 'sub') ?? it,
    )
    .replace(/\[STRIKEOUT:[^\]]{0,500}\]/g, '')
    .replace(/:math:`([^`]{1,500})`/g, (_, formula: string) => formulaOf(formula))
    .replace(/(?::[\w.+:-]{1,60}:)?`([^`<]*)<([^`<>]*)>`_{0,2}/g, (_, name: string, to: string) => name.trimEnd() || to)
    .replace(/``([^\n]{1,500}?)``/g, '$1')
    .replace(/(?::[\w.+:-]{1,60}:)`[~!]?([^`]*)`/g, '$1')
    .replace(/`([^`\n]+)`(?:_{0,2}|:[\w-]+:)/g, '$1')
    .replace(/(^|[\s\-("'/:[{<\u2028])(\*\*?)(\S|\S[^*\n]{0,500}?\S)\2(?=$|[\s\-.,:;!?\\/'")\]}>\u2028])/g, '$1$3')
    .replace(/ ?\[(?:#[\w-]*|\*|\d+)\]_(?=$|\W)/g, '')
    .replace(/\b([A-Za-z0-9][\w-]{0,60})__?(?=$|[\s.,:;!?)])/g, '$1')
    .replace(/\\ |\\(?=[*`|_\\])/g, '');
}

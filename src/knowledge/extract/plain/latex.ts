import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { scriptDigits } from '../script-digits.ts';
import type { Extracted } from '../types.ts';
import { formulaOf, groupEnd, signs } from './latex-math.ts';
import { accents, dropped, levels, texts } from './latex-words.ts';
import { createProse, lineBreak, type Prose, type ProseCell, withLineFeeds } from './prose.ts';

const maxDepth = 20;
/** How much commands that a file defines may stand for: they may double at each step. */
const maxExpanded = 5_000_000;
const maxFormula = 5_000;
const math = /^(equation|align|alignat|gather|multline|eqnarray|math|displaymath|flalign|IEEEeqnarray)\*?$/;
const listing = /^(verbatim|Verbatim|lstlisting|minted|alltt)\*?$/;
const table = /^(tabular|tabularx|tabulary|longtable|supertabular|array|tblr)\*?$/;
const unseen = /^(comment|tikzpicture|pgfpicture|filecontents)\*?$/;

/** `first`: what the first parameter is unless it is given in brackets. */
type Macro = { parameters: number; body: string; first?: string };
/** Where text goes; `isBody`: what ends a paragraph is written before. */
type Out = { line: string; isBody: boolean };
type Reader = { prose: Prose; macros: Map<string, Macro>; expanded: number };

/** Reads LaTeX by its headings, with lists, tables, listings and formulas; of other commands, the text in them. */
export function readLatex(source: string): Extracted {
  const text = withLineFeeds(source);
  const reader: Reader = { prose: createProse((line) => line), macros: new Map(), expanded: 0 };
  const start = text.indexOf('\\begin{document}');
  const end = text.lastIndexOf('\\end{document}');
  // The preamble defines commands and the title, and has no text.
  if (start >= 0) run(reader, text.slice(0, start), 0, { line: '', isBody: false });
  const body = start < 0 ? text : text.slice(start + '\\begin{document}'.length, end > start ? end : undefined);
  const out = { line: '', isBody: true };
  run(reader, body, 0, out);
  write(reader, out.line);
  return reader.prose.end();
}

const write = ({ prose }: Reader, text: string): void => {
  for (const line of text.split('\n')) prose.line(line);
  prose.line('');
};

const token =
  /\\begin\s*\{([^{}\n]{1,60})\}|\\end\s*\{[^{}\n]{0,60}\}|\\([A-Za-z@]+)\*?[ \t]*|\\([\s\S])|%[^\n]*(?:\n[ \t]*(?=\S))?|\$\$?|---?|``|''|[^\\%$`'-]+|[\s\S]/y;

/** Reads LaTeX into `out`. */
function run(reader: Reader, tex: string, depth: number, out: Out): void {
  if (depth > maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
  const { prose, macros } = reader;
  let at = 0;
  const flush = () => {
    if (out.isBody) write(reader, out.line);
    out.line = out.isBody ? '' : out.line + lineBreak;
  };
  const blocks = out.isBody
    ? prose
    : prose.within((text) => {
        out.line += text;
      });
  const group = (): string => {
    while (/\s/.test(tex[at] ?? '')) at++;
    if (tex[at] !== '{') return '';
    const end = groupEnd(tex, at);
    const inner = tex.slice(at + 1, end);
    at = end + 1;
    return inner;
  };
  const options = (): string => {
    if (tex[at] !== '[') return '';
    const [whole = ''] = /^\[[^\]]{0,500}\]/.exec(tex.slice(at, at + 502)) ?? [];
    at += whole.length;
    return whole.slice(1, -1);
  };
  const inner = (text: string): string => {
    const part = { line: '', isBody: false };
    run(reader, text, depth + 1, part);
    const lines = part.line.split(lineBreak).map((line) => line.trim());
    return lines.filter(Boolean).join(lineBreak);
  };
  const until = (end: string): string => {
    const found = tex.indexOf(end, at);
    const between = tex.slice(at, found < 0 ? undefined : found);
    at = found < 0 ? tex.length : found + end.length;
    return between;
  };
  const environment = (name: string): void => {
    if (listing.test(name)) {
      flush();
      options();
      if (name.startsWith('minted')) group();
      blocks.code(until(`\\end{${name}}`));
    } else if (unseen.test(name)) {
      if (/picture/.test(name)) prose.misses('pictures');
      until(`\\end{${name}}`);
    } else if (math.test(name)) out.line += ` ${formulaOf(until(`\\end{${name}}`))} `;
    else if (table.test(name)) {
      flush();
      if (/[xy*]$/.test(name)) group();
      options();
      group();
      const { rows, headers, captions } = tableOf(tableText(), inner);
      for (const caption of captions) {
        out.line += caption;
        flush();
      }
      blocks.table(rows, headers);
    } else if (out.isBody && name === 'abstract') {
      flush();
      blocks.heading(3, 'Abstract');
    } else {
      flush();
      options();
      if (/^(minipage|multicols|wrapfigure|adjustbox|thebibliography)$/.test(name)) group();
    }
  };
  /** The rows up to the end of the outermost table. */
  const tableText = (): string => {
    const start = at;
    const edges = /\\(begin|end)\s*\{(?:tabular|tabularx|tabulary|longtable|supertabular|array|tblr)\*?\}/g;
    edges.lastIndex = at;
    let open = 1;
    for (let edge = edges.exec(tex); edge; edge = edges.exec(tex)) {
      open += edge[1] === 'begin' ? 1 : -1;
      at = edges.lastIndex;
      if (open === 0) return tex.slice(start, edge.index);
    }
    at = tex.length;
    return tex.slice(start);
  };
  const command = (name: string): void => {
    // What a file makes of a command that is known here is only its look.
    const macro = macros.get(name);
    const level = own(levels, name);
    if (/^((re)?new|provide)command$|^DeclareRobustCommand$/.test(name)) {
      const defined = group() || (/^\\[A-Za-z@]+/.exec(tex.slice(at, at + 60))?.[0] ?? '');
      if (tex[at] === '\\') at += defined.length;
      const parameters = Math.min(9, Number(options()) || 0);
      const first = tex[at] === '[' ? { first: options() } : {};
      macros.set(defined.trim().slice(1), { parameters, ...first, body: group() });
    } else if (name === 'def') {
      const [head = '', defined = '', parameters = ''] = /^\\([A-Za-z@]+)((?:#\d)*)/.exec(tex.slice(at, at + 80)) ?? [];
      at += head.length;
      macros.set(defined, { parameters: parameters.length / 2, body: group() });
    } else if (level !== undefined) {
      options();
      flush();
      blocks.heading(level, inner(group()));
    } else if (name === 'title') prose.title(inner(group()));
    else if (/^(footnote|footnotetext|thanks|endnote)$/.test(name)) prose.note(inner(group()));
    else if (name === 'item' || name === 'bibitem') {
      flush();
      const label = options();
      if (name === 'bibitem') group();
      blocks.item('-');
      if (label) out.line += `${inner(label)}: `;
    } else if (name === 'caption') {
      options();
      flush();
      out.line += inner(group());
      flush();
    } else if (name === 'includegraphics') {
      prose.misses('pictures');
      options();
      group();
    } else if (/^(input|include|subfile|import)$/.test(name)) {
      prose.misses('files');
      group();
    } else if (/^(sout|st|xout)$/.test(name)) group();
    else if (/^text(super|sub)script$/.test(name)) {
      const words = inner(group());
      out.line += scriptDigits(words, name.includes('super') ? 'sup' : 'sub') ?? words;
    } else if (/^(verb|Verb|lstinline|mintinline|url|path|nolinkurl)$/.test(name)) {
      options();
      if (name === 'mintinline') group();
      const sign = tex[at] ?? '';
      if (sign !== '{') at++;
      const words = sign === '{' ? group() : until(sign);
      out.line += /^(url|path|nolinkurl)$/.test(name) ? words.replace(/\\([%#&_~])(?:\{\})?/g, '$1') : words;
    } else if (own(accents, name)) out.line += accented(own(accents, name) ?? '');
    else if (/^(par|newline|linebreak|newpage|clearpage|maketitle|tableofcontents|hline)$/.test(name)) {
      if (name === 'newline' || name === 'linebreak') out.line += lineBreak;
      else flush();
    } else if (own(dropped, name)) {
      options();
      for (let left = own(dropped, name) ?? 0; left > 0; left--) group();
    } else if (macro) {
      const given = Array.from({ length: macro.parameters }, (_, index) =>
        index > 0 || macro.first === undefined ? group() : tex[at] === '[' ? options() : macro.first,
      );
      reader.expanded += macro.body.length + 1;
      for (const [, number] of macro.body.matchAll(/#(\d)/g)) reader.expanded += given[Number(number) - 1]?.length ?? 0;
      if (reader.expanded > maxExpanded) throw new ExtractFailure('Its own commands stand for too much text');
      // In a body it may end a paragraph, or begin a list.
      const expanded = macro.body.replace(/#(\d)/g, (_, number) => given[Number(number) - 1] ?? '');
      run(reader, expanded, depth + 1, out);
    } else {
      const sign = own(texts, name) ?? own(signs, name);
      if (sign === undefined) options();
      else out.line += sign;
    }
  };
  const accented = (mark: string): string => {
    const given = tex[at] === '{' ? inner(group()) : (/^\\?./su.exec(tex.slice(at, at + 3))?.[0] ?? '');
    if (tex[at - 1] !== '}') at += given.length;
    const letter = given.replace(/^(?:\\i|ı)/, 'i').replace(/^(?:\\j|ȷ)/, 'j');
    return `${letter.slice(0, 1)}${mark}${letter.slice(1)}`.normalize('NFC');
  };
  while (at < tex.length) {
    token.lastIndex = at;
    const found = token.exec(tex);
    if (!found) break;
    const [all, begins, name, sign] = found;
    at = token.lastIndex;
    if (begins !== undefined) environment(begins);
    else if (all.startsWith('\\end')) flush();
    else if (name !== undefined) command(name);
    else if (sign === '(') out.line += formulaOf(until('\\)'));
    else if (sign === '[') out.line += ` ${formulaOf(until('\\]'))} `;
    else if (sign === '\\') {
      options();
      out.line += lineBreak;
    } else if (sign !== undefined && own(accents, sign)) out.line += accented(own(accents, sign) ?? '');
    else if (sign !== undefined) out.line += /[%$#&_{}]/.test(sign) ? sign : /[\s,;:]/.test(sign) ? ' ' : '';
    else if (all === '$' || all === '$$') {
      const end = tex.slice(at, at + maxFormula).indexOf(all);
      // One that is never closed is a dollar.
      out.line += end < 0 || /\n\s*\n/.test(tex.slice(at, at + end)) ? all : formulaOf(until(all));
    } else if (!all.startsWith('%')) {
      out.line += /^[-`']/.test(all) ? (own(texts, all) ?? all) : all.replace(/[{}]/g, '').replaceAll('~', ' ');
      // A note follows the paragraph that it is in.
      if (out.isBody && all.includes('\n')) {
        const lines = out.line.split('\n');
        out.line = lines.pop() ?? '';
        for (const line of lines) prose.line(line);
      }
    }
  }
}

const own = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const rules =
  /^\s*(?:\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|cline|cmidrule|specialrule|noalign)(?:\([^)]*\))?(?:\{[^{}]*\})*\s*)+/;

/**
 * The rows of a table. Those above the first line between rows are the names of the columns, which a long table repeats
 * for its further pages.
 */
function tableOf(
  tex: string,
  inner: (text: string) => string,
): { rows: ProseCell[][]; headers: number; captions: string[] } {
  const rows: ProseCell[][] = [];
  const captions: string[] = [];
  let headers = 0;
  // In an address, these signs neither begin a comment nor end a cell.
  const escaped = tex.replace(/\\(?:url|path|nolinkurl|href)\s*\{[^{}\n]*\}/g, (address) =>
    address.replace(/(?<!\\)[%&]/g, '\\$&'),
  );
  for (const part of escaped.replace(/(?<!\\)%[^\n]*\n?/g, '').split(/\\\\(?:\[[^\]]{0,100}\])?|\\tabularnewline\b/)) {
    const [ruled = ''] = rules.exec(part) ?? [];
    if (/\\endhead/.test(ruled) && headers > 0) rows.length = headers;
    else if (/hline|midrule|endhead|endfirsthead/.test(ruled) && rows.length > 0) headers ||= rows.length;
    const row = part.slice(ruled.length);
    if (/\\(?:caption|label)\b/.test(row) && !row.includes('&')) {
      captions.push(inner(row));
      continue;
    }
    const cells = row.split(/(?<!\\)&/).map((cell): ProseCell => {
      const [, number = '1', words] =
        /^\s*\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*([\s\S]*)$/.exec(cell) ?? [];
      const text = (words ?? cell).replace(
        /\\multirow(?:\[[^\]]{0,100}\])?\s*\{[^{}]*\}(?:\[[^\]]{0,100}\])?\s*\{[^{}]*\}/,
        '',
      );
      return { text: inner(text), span: Math.min(50, Number(number)) };
    });
    if (cells.some(({ text }) => text)) rows.push(cells);
  }
  return { rows, headers: headers < rows.length ? headers : 0, captions };
}

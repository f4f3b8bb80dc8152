import { type ComponentChild, type ComponentChildren, h } from 'preact';

/**
 * Renders an agent's Markdown: paragraphs, lists in lists, tables, code, emphasis and links; everything else becomes
 * plain text. HTML is never parsed, so that nothing a model writes can become a script.
 */
export function renderMarkdown(text: string): ComponentChild[] {
  const lines: Lines = { all: text.replaceAll('\r\n', '\n').split('\n'), at: 0 };
  const blocks: ComponentChild[] = [];
  while (lines.at < lines.all.length) {
    const line = here(lines);
    if (!line.trim()) lines.at++;
    else if (fence.test(line)) blocks.push(codeBlock(lines));
    else if (item.test(line)) blocks.push(list(lines));
    else if (isTable(lines)) blocks.push(table(lines));
    else blocks.push(paragraph(lines));
  }
  return blocks;
}

/** The lines of a text, and which is next. */
type Lines = { all: string[]; at: number };
/** The next line; empty at the end. */
const here = ({ all, at }: Lines): string => all[at] ?? '';

const fence = /^\s*```/;
const item = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/;
const starts = (line: string): boolean => fence.test(line) || item.test(line);

function codeBlock(lines: Lines): ComponentChild {
  const start = ++lines.at;
  while (lines.at < lines.all.length && !fence.test(here(lines))) lines.at++;
  const code = lines.all.slice(start, lines.at++);
  // Focused, it can be scrolled by keyboard.
  return h('pre', { tabIndex: 0 }, h('code', null, code.join('\n')));
}

/** How deep lists nest; what is deeper is an item of the deepest. */
const maxNesting = 6;

/** A list: items that are further to the right than the one before are a list in it. */
function list(lines: Lines, depth = 1): ComponentChild {
  const items: ComponentChild[] = [];
  const [, , mark = ''] = item.exec(here(lines)) ?? [];
  const indent = indentOf(here(lines));
  const isNumbered = /\d/.test(mark);
  for (let match = item.exec(here(lines)); match; match = item.exec(here(lines))) {
    if (indentOf(here(lines)) < indent - 1 || /\d/.test(match[2] ?? '') !== isNumbered) break;
    lines.at++;
    const said: ComponentChildren[] = [renderInline(match[3] ?? '')];
    while (depth < maxNesting && item.test(here(lines)) && indentOf(here(lines)) >= indent + 2) {
      said.push(list(lines, depth + 1));
    }
    items.push(h('li', null, said));
  }
  const start = isNumbered ? Number.parseInt(mark, 10) : 1;
  return isNumbered ? h('ol', start === 1 ? null : { start }, items) : h('ul', null, items);
}

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;

const delimiters = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether a table starts here: a row of names, and below it one of dashes for each. */
function isTable({ all, at }: Lines): boolean {
  const [names = '', below = ''] = [all[at], all[at + 1]];
  if (!names.includes('|') || !below.includes('|') || below.length > 500 || !delimiters.test(below)) return false;
  return cellsOf(names).length === cellsOf(below).length;
}

function table(lines: Lines): ComponentChild {
  const names = cellsOf(here(lines));
  lines.at += 2;
  const rows: ComponentChild[] = [];
  while (here(lines).includes('|') && here(lines).trim()) {
    const cells = cellsOf(here(lines));
    lines.at++;
    rows.push(
      h(
        'tr',
        null,
        names.map((_, column) => h('td', null, renderInline(cells[column] ?? ''))),
      ),
    );
  }
  const head = h(
    'tr',
    null,
    names.map((name) => h('th', { scope: 'col' }, renderInline(name))),
  );
  return h('div', { class: 'table', tabIndex: 0 }, h('table', null, h('thead', null, head), h('tbody', null, rows)));
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

function paragraph(lines: Lines): ComponentChild {
  const heading = /^#{1,6}\s+(.*)$/.exec(here(lines));
  if (heading) {
    lines.at++;
    return h('p', null, h('strong', null, renderInline(heading[1] ?? '')));
  }
  const said: ComponentChildren[] = [];
  do {
    const line = here(lines).replace(/^\s*>\s?/, '');
    lines.at++;
    said.push(said.length > 0 && h('br', null), renderInline(line));
  } while (here(lines).trim() && !starts(here(lines)) && !isTable(lines) && !/^#{1,6}\s/.test(here(lines)));
  return h('p', null, said);
}

/**
 * What a line may hold. Each element has at most 1,000 characters: one that opens and never closes is not looked for to
 * the end of the line from each place where it opens.
 */
const inline =
  /`([^`]{1,1000})`|\*\*(?!\*)((?:[^*]|\*(?!\*)){1,1000})\*\*|__([^_]{1,1000})__|(?<![\w*])\*([^*\s][^*]{0,1000})\*|(?<!\w)_([^_\s][^_]{0,1000})_(?!\w)|\[([^\]]{1,1000})\]\(([^\s)]{1,1000})\)|(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/g;

function renderInline(text: string): ComponentChildren[] {
  const said: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(inline)) {
    const [whole, code, strong, strongToo, em, emToo, label, address, plain] = match;
    said.push(text.slice(from, match.index));
    from = match.index + whole.length;
    const bold = strong ?? strongToo;
    const italic = em ?? emToo;
    if (code) said.push(h('code', null, code));
    else if (bold) said.push(h('strong', null, renderInline(bold)));
    else if (italic) said.push(h('em', null, renderInline(italic)));
    else said.push(link(plain ?? address ?? '', label ?? plain ?? '') ?? whole);
  }
  said.push(text.slice(from));
  return said;
}

/** A link to another page; null unless its URL is a web address: `javascript:…` must not become a link. */
export function link(address: string, label: ComponentChildren): ComponentChild {
  const { protocol = '', href = '' } = URL.parse(address) ?? {};
  if (!['https:', 'http:', 'mailto:'].includes(protocol)) return null;
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, label);
}

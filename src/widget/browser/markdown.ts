import { type ComponentChild, type ComponentChildren, h } from 'preact';

/**
 * Renders an agent's Markdown: paragraphs, lists, code, emphasis and links; everything else becomes plain text. HTML is
 * never parsed, so that nothing a model writes can become a script.
 */
export function renderMarkdown(text: string): ComponentChild[] {
  const lines: Lines = { all: text.replaceAll('\r\n', '\n').split('\n'), at: 0 };
  const blocks: ComponentChild[] = [];
  while (lines.at < lines.all.length) {
    const line = here(lines);
    if (!line.trim()) lines.at++;
    else if (fence.test(line)) blocks.push(codeBlock(lines));
    else if (bullet.test(line)) blocks.push(list('ul', bullet, lines));
    else if (numbered.test(line)) blocks.push(list('ol', numbered, lines));
    else blocks.push(paragraph(lines));
  }
  return blocks;
}

/** The lines of a text, and which is next. */
type Lines = { all: string[]; at: number };
/** The next line; empty at the end. */
const here = ({ all, at }: Lines): string => all[at] ?? '';

const fence = /^\s*```/;
const bullet = /^\s*[-*+]\s+(.*)$/;
const numbered = /^\s*\d{1,3}[.)]\s+(.*)$/;
const starts = (line: string): boolean => fence.test(line) || bullet.test(line) || numbered.test(line);

function codeBlock(lines: Lines): ComponentChild {
  const start = ++lines.at;
  while (lines.at < lines.all.length && !fence.test(here(lines))) lines.at++;
  const code = lines.all.slice(start, lines.at++);
  return h('pre', null, h('code', null, code.join('\n')));
}

function list(tag: 'ul' | 'ol', shape: RegExp, lines: Lines): ComponentChild {
  const items: ComponentChild[] = [];
  for (let match = shape.exec(here(lines)); match; match = shape.exec(here(lines))) {
    lines.at++;
    items.push(h('li', null, renderInline(match[1] ?? '')));
  }
  return h(tag, null, items);
}

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
  } while (here(lines).trim() && !starts(here(lines)) && !/^#{1,6}\s/.test(here(lines)));
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

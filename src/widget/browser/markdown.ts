import { type ComponentChild, type ComponentChildren, h } from 'preact';

/**
 * Renders an agent's Markdown: paragraphs, lists, code, emphasis and links; everything else becomes plain text. HTML is
 * never parsed, so that nothing a model writes can become a script.
 */
export function renderMarkdown(text: string): ComponentChild[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: ComponentChild[] = [];
  while (lines.length > 0) {
    const line = lines[0] ?? '';
    if (!line.trim()) lines.shift();
    else if (/^\s*```/.test(line)) blocks.push(codeBlock(lines));
    else if (bullet.test(line)) blocks.push(list('ul', bullet, lines));
    else if (numbered.test(line)) blocks.push(list('ol', numbered, lines));
    else blocks.push(paragraph(lines));
  }
  return blocks;
}

const bullet = /^\s*[-*+]\s+(.*)$/;
const numbered = /^\s*\d{1,3}[.)]\s+(.*)$/;
const starts = (line: string): boolean => /^\s*```/.test(line) || bullet.test(line) || numbered.test(line);

function codeBlock(lines: string[]): ComponentChild {
  lines.shift();
  const end = lines.findIndex((line) => /^\s*```/.test(line));
  const code = lines.splice(0, end < 0 ? lines.length : end);
  lines.shift();
  return h('pre', null, h('code', null, code.join('\n')));
}

function list(tag: 'ul' | 'ol', shape: RegExp, lines: string[]): ComponentChild {
  const items: ComponentChild[] = [];
  for (let match = shape.exec(lines[0] ?? ''); match; match = shape.exec(lines[0] ?? '')) {
    lines.shift();
    items.push(h('li', null, renderInline(match[1] ?? '')));
  }
  return h(tag, null, items);
}

function paragraph(lines: string[]): ComponentChild {
  const heading = /^#{1,6}\s+(.*)$/.exec(lines[0] ?? '');
  if (heading) {
    lines.shift();
    return h('p', null, h('strong', null, renderInline(heading[1] ?? '')));
  }
  const said: ComponentChildren[] = [];
  do {
    const line = (lines.shift() ?? '').replace(/^\s*>\s?/, '');
    said.push(said.length > 0 && h('br', null), renderInline(line));
  } while (lines[0]?.trim() && !starts(lines[0]) && !/^#{1,6}\s/.test(lines[0]));
  return h('p', null, said);
}

const inline =
  /`([^`]+)`|\*\*([^*]+(?:\*[^*]+)*)\*\*|__([^_]+)__|(?<![\w*])\*([^*\s][^*]*)\*|(?<!\w)_([^_\s][^_]*)_(?!\w)|\[([^\]]+)\]\(([^\s)]+)\)|(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/g;

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

import { Marked, type Token, type Tokens } from 'marked';
import sanitize from 'sanitize-html';
import { escapeHtml } from '../page.ts';

/**
 * A part of a document from one heading to the next; `id` is the heading's anchor. One whose heading is a link, or that
 * begins with a link to the same anchor of another page, leads on to it.
 */
type Section = { id: string; heading: string; depth: number; text: string; leadsOn: boolean };
export type Rendered = { title: string; html: string; sections: Section[] };

/** Where a reference of a document leads on the served pages; null where nothing is served for it. */
type Resolve = (href: string) => string | null;

/**
 * Renders a document as sanitized HTML. Anchors are made as GitHub makes them, so that a link works in both places. A
 * link to what is not served becomes plain text.
 */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const tokens = new Marked().lexer(text);
  const sections = sectionsOf(tokens);
  const headings = sections.filter(({ id }) => id)[Symbol.iterator]();
  const marked = new Marked({
    renderer: {
      heading({ tokens: inner, depth }) {
        const { id } = headings.next().value ?? { id: '' };
        const content = this.parser.parseInline(inner);
        const linked = content.includes('<a ') ? content : `<a class="anchor" href="#${id}">${content}</a>`;
        return `<h${depth} id="${id}">${linked}</h${depth}>\n`;
      },
      code({ text: code, lang }) {
        return `<pre tabindex="0"><code${lang ? ` class="language-${escapeHtml(lang)}"` : ''}>${escapeHtml(code)}</code></pre>\n`;
      },
      table({ header, rows }) {
        const line = (cells: Tokens.TableCell[]) =>
          `<tr>${cells.map((cell) => cellOf(cell, this.parser.parseInline(cell.tokens))).join('')}</tr>`;
        const head = header.some((cell) => cell.text) ? `<thead>${line(header)}</thead>` : '';
        return `<div class="table" tabindex="0"><table>${head}<tbody>${rows.map(line).join('\n')}</tbody></table></div>\n`;
      },
    },
  });
  const title = sections.find(({ depth }) => depth === 1)?.heading ?? '';
  return { title, html: sanitize(marked.parser(tokens), rules(resolve)), sections };
}

/** An empty cell names no column. */
const cellOf = ({ header, text }: Tokens.TableCell, content: string) =>
  header && text ? `<th scope="col">${content}</th>` : `<td>${content}</td>`;

function sectionsOf(tokens: Token[]): Section[] {
  const taken = new Map<string, number>();
  const sections: Section[] = [{ id: '', heading: '', depth: 0, text: '', leadsOn: false }];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading') {
      const heading = plainText([token]);
      const slug = slugOf(heading);
      const times = taken.get(slug) ?? 0;
      taken.set(slug, times + 1);
      const id = times ? `${slug}-${times}` : slug;
      const next = tokens.slice(index + 1).find(({ type }) => type !== 'space');
      const [first] = (token as Tokens.Heading).tokens;
      const leadsOn = first?.type === 'link' || isLinkTo(id, next);
      sections.push({ id, heading, depth: token.depth, text: '', leadsOn });
    } else {
      const last = sections.at(-1);
      if (last) last.text = `${last.text} ${plainText([token])}`.trim();
    }
  }
  return sections;
}

/** Whether a paragraph begins with a link to this anchor of another page. */
function isLinkTo(id: string, token: Token | undefined): boolean {
  const first = token?.type === 'paragraph' ? (token as Tokens.Paragraph).tokens[0] : undefined;
  return first?.type === 'link' && first['href'].endsWith(`.md#${id}`);
}

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The text of tokens, as a reader sees it. */
function plainText(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
      if (token.type === 'html' || token.type === 'space') return ' ';
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token ? String(token.text) : ' ';
    })
    .join('')
    .replace(/\s+/g, ' ');
}

/** The HTML of a document. Every reference is resolved, those of raw HTML too. */
function rules(resolve: Resolve): sanitize.IOptions {
  return {
    allowedTags:
      'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li strong em del code pre table thead tbody tr th td a span div picture source img'.split(
        ' ',
      ),
    allowedAttributes: {
      '*': ['id'],
      a: ['href', 'class'],
      code: ['class'],
      pre: ['tabindex'],
      div: ['class', 'tabindex'],
      th: ['scope'],
      ol: ['start'],
      img: ['src', 'alt', 'width', 'loading'],
      source: ['srcset', 'media'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    transformTags: {
      a: (_, { href = '', ...attribs }) => {
        const target = resolve(href);
        return target === null
          ? { tagName: 'span', attribs: {} }
          : { tagName: 'a', attribs: { ...attribs, href: target } };
      },
      img: (tagName, { src = '', alt = '', ...attribs }) => ({
        tagName,
        attribs: { ...attribs, src: resolve(src) ?? '', alt, loading: 'lazy' },
      }),
      source: (tagName, { srcset = '', media = '' }) => ({
        tagName,
        attribs: { srcset: resolve(srcset) ?? '', media },
      }),
    },
  };
}

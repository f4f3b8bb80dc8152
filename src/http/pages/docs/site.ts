import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../page.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

/** A group of the navigation. */
export type Group = { title: string; pages: { title: string; slug: string }[] };
/** A section of a page, as the search finds it: its page's address, its anchor, and its text. */
type Found = { page: string; slug: string; id: string; heading: string; text: string };
export type Site = {
  /** The paths of the documents by the name that they are served under; the first page's name is empty. */
  documents: ReadonlyMap<string, string>;
  /** The files of pictures by the same. */
  pictures: ReadonlyMap<string, string>;
  navigation(): Promise<Group[]>;
  /** Renders a document for a page from which `root` leads to the root of the gateway. */
  render(slug: string, root: string): Promise<Rendered>;
  /** What the search reads: every section of every page of text, once: not an index that leads on to it. */
  index(): Promise<Found[]>;
};

const front = 'README.md';
/** Pages that show what these files describe better than the files do. */
const shownBy: Record<string, string> = { 'openapi.json': 'reference', 'schema/schema.graphql': 'graphql' };
/** The address of a gateway on this machine, as documents write it. */
const local = 'http://127.0.0.1:4000/';

/**
 * The documentation among the files of the gateway, which are in `folder`: a package has fewer of them than a checkout.
 */
export function openSite(folder: string): Site {
  const files = globSync(['docs/*.md', 'bench/*.md', 'examples/**/*.*', 'CHANGELOG.md', 'SECURITY.md'], { cwd: folder })
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort();
  const documents = new Map([front, ...files].map((file) => [slugOf(file), file]));
  const pictures = new Map(
    globSync('docs/images/*.webp', { cwd: folder }).map((file) => [`images/${path.basename(file)}`, file]),
  );
  const text = (file: string) => readFile(path.join(folder, file), 'utf8');

  /** Where a reference in `file` leads from the root of the gateway; null where nothing is served for it. */
  function resolve(file: string, href: string, root: string): string | null {
    if (href.startsWith('#')) return href;
    if (href.startsWith(local)) return root + href.slice(local.length);
    if (/^[a-z]+:/.test(href)) return href;
    const [target = '', anchor] = href.split('#');
    const named = path.posix.join(path.posix.dirname(file), target);
    const shown = shownBy[named];
    if (shown) return root + shown;
    const isFolder = existsSync(path.join(folder, named, 'README.md'));
    const slug = slugOf(isFolder ? `${named}/README.md` : named);
    if (!documents.has(slug) && !pictures.has(slug)) return null;
    return `${root}docs${slug && '/'}${slug}${anchor ? `#${anchor}` : ''}`;
  }

  async function render(slug: string, root: string): Promise<Rendered> {
    const file = documents.get(slug) ?? front;
    const source = await text(file);
    return renderMarkdown(isMarkdown(file) ? source : asMarkdown(file, source), (href) => resolve(file, href, root));
  }

  return {
    documents,
    pictures,
    render,
    async navigation() {
      const listed = groupsOf(await text(front), (href) => slugOf(path.posix.normalize(href)));
      const groups = listed.map(({ title, pages }) => ({
        title,
        pages: pages.filter(({ slug }) => documents.has(slug)),
      }));
      const known = new Set(groups.flatMap(({ pages }) => pages.map(({ slug }) => slug)));
      const others = [...documents].filter(([slug, file]) => slug && isMarkdown(file) && !known.has(slug));
      const pages = await Promise.all(others.map(async ([slug]) => ({ title: (await render(slug, '')).title, slug })));
      return [...groups, { title: 'More', pages }].filter((group) => group.pages.length > 0);
    },
    async index() {
      const pages = [...documents].filter(([, file]) => isMarkdown(file));
      const found = await Promise.all(
        pages.map(async ([slug]) => {
          const { title, sections } = await render(slug, '');
          return sections
            .filter(({ heading, text: body, leadsOn }) => !leadsOn && (heading || body))
            .map(({ id, heading, text: body }) => ({ page: title, slug, id, heading, text: body }));
        }),
      );
      return found.flat();
    },
  };
}

const isMarkdown = (file: string) => file.endsWith('.md');

/** `docs/tour.md` is `tour`, `examples/README.md` is `examples`, `bench/RESULTS.md` is `bench-results`. */
function slugOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '')
    .replace(/^(?!images\/)(.*)$/, (name) => name.replaceAll('/', '-').replace(/\.md$/, '').toLowerCase());
}

/** A page that shows a file of the examples. */
function asMarkdown(file: string, source: string): string {
  return `# ${path.basename(file)}\n\n[Examples](README.md)\n\n\`\`\`\`${path.extname(file).slice(1)}\n${source}\n\`\`\`\`\n`.replace(
    '(README.md)',
    `(${path.posix.relative(path.posix.dirname(file), 'examples/README.md')})`,
  );
}

/** The groups of the table below the heading Documentation: what a page is for, and the pages. */
function groupsOf(text: string, slugOfLink: (href: string) => string): Group[] {
  const tokens = new Marked().lexer(text);
  const heading = tokens.findIndex((token) => token.type === 'heading' && token['text'] === 'Documentation');
  const table = tokens.slice(heading).find((token): token is Tokens.Table => token.type === 'table');
  return (table?.rows ?? []).map(([name, list]) => ({
    title: `${name?.text.charAt(0).toUpperCase()}${name?.text.slice(1)}`,
    pages: (list?.tokens ?? [])
      .filter((token: Token): token is Tokens.Link => token.type === 'link')
      .map(({ text: title, href }) => ({ title, slug: slugOfLink(href) })),
  }));
}

/** A link of a page, in HTML. */
export const anchor = (text: string, href: string, more = ''): string =>
  `<a href="${escapeHtml(href)}"${more}>${escapeHtml(text)}</a>`;

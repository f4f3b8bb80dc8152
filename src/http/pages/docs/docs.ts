import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { lazy } from '../../../core/lazy.ts';
import { acceptsPage } from '../../accepted.ts';
import { type Asset, pageScript, pageStyle, serveAssets } from '../assets.ts';
import { barMark, documentHtml, escapeHtml, type PageLinks, pageHeaders, pageLinks } from '../page.ts';
import type { Rendered } from './markdown.ts';
import { anchor, type Group, openSite, type Site } from './site.ts';

type Options = {
  /** Links to other pages, by their path from the root of the gateway. */
  links: PageLinks;
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * GET /docs: the documentation as pages, from the Markdown among the gateway's files. Every reference is relative, so
 * that the pages work below a path too. They can be read without scripts, which add the search and copy buttons.
 */
export function createDocs({ links }: Options): Hono {
  const docs = lazy(() => {
    const site = openSite(root);
    const navigation = lazy(() => site.navigation());
    return { serve: serveAssets(assetsOf(site, navigation, links)), navigation };
  });
  const missing = async (path: string): Promise<Response> => {
    const up = '../'.repeat(path.split('/').length - 2);
    const page = { slug: path, up, links, groups: await docs().navigation(), rendered: notFoundPage };
    return new Response(docsPage(page), { status: 404, headers: { 'Content-Type': html, ...pageHeaders } });
  };
  const app = new Hono();
  app.get('/docs', (c) => docs().serve(c.req.raw, ''));
  app.get('/docs/', (c) => c.redirect('../docs'));
  app.get('/docs/:name{.+\\.md}', (c) => c.redirect(c.req.param('name').slice(0, -'.md'.length).toLowerCase()));
  app.get('/docs/:name{.+}', async (c) => {
    const response = await docs().serve(c.req.raw, c.req.param('name'));
    if (response.status !== 404) return response;
    const isForPerson = acceptsPage(c.req.header('accept'));
    const answer = isForPerson ? await missing(c.req.path) : response;
    answer.headers.append('Vary', 'Accept');
    return answer;
  });
  return app;
}

const html = 'text/html; charset=utf-8';
const notFoundPage: Rendered = {
  title: 'Page not found',
  html: '<h1>Page not found</h1><p>The documentation has no page at this address. Search for it, or choose one of the list.</p>',
  sections: [],
};

function assetsOf(site: Site, navigation: () => Promise<Group[]>, links: PageLinks): Record<string, Asset> {
  const page = (slug: string): Asset => ({
    type: html,
    headers: pageHeaders,
    load: async () => {
      const up = slug ? '../' : '';
      return docsPage({ slug, up, links, groups: await navigation(), rendered: await site.render(slug, up) });
    },
  });
  return {
    ...Object.fromEntries(Array.from(site.documents.keys(), (slug) => [slug, page(slug)])),
    ...Object.fromEntries(
      Array.from(site.pictures, ([name, file]) => [name, { type: 'image/webp', load: () => readFile(root + file) }]),
    ),
    'page.css': pageStyle('base.css', 'skip.css', 'docs-page.css'),
    'start.js': pageScript('docs-start.js'),
    'search.json': { type: 'application/json', load: async () => JSON.stringify(await site.index()) },
  };
}

type DocsPage = {
  slug: string;
  /** Leads from the page to the root of the gateway. */
  up: string;
  links: PageLinks;
  groups: Group[];
  rendered: Rendered;
};

function docsPage({ slug, up, links, groups, rendered }: DocsPage): string {
  const { title, html, sections } = rendered;
  const navigation = groups.map(({ title: name, pages }, index) => {
    const items = pages.map((page) => {
      const isCurrent = page.slug === slug ? ' aria-current="page"' : '';
      return `<li>${anchor(page.title, `${up}docs/${page.slug}`, isCurrent)}</li>`;
    });
    return `<p id="group-${index}">${escapeHtml(name)}</p><ul aria-labelledby="group-${index}">${items.join('')}</ul>`;
  });
  const headings = sections.filter(({ depth }) => depth === 2 || depth === 3);
  const contents = headings.map(
    ({ id, heading, depth }) => `<li class="depth-${depth}">${anchor(heading, `#${id}`)}</li>`,
  );
  return documentHtml({
    title: title === 'Parley' ? 'Parley: documentation' : `${title} · Parley`,
    styles: [`${up}docs/page.css`],
    scripts: [`${up}docs/start.js`],
    options: { docs: `${up}docs`, slug },
    body: `<a class="skip" href="#content">Skip to the content</a>
    <header>
      <a class="home" href="${up}docs">${barMark}Parley</a>
      <button type="button" id="menu" aria-expanded="false" aria-controls="pages" hidden>Pages</button>
      <search hidden>
        <input type="search" id="search" placeholder="Search" aria-label="Search the documentation" aria-controls="found" autocomplete="off">
        <div id="results" hidden><p id="count" role="status"></p><ol id="found"></ol></div>
      </search>
      ${pageLinks(links, up)}
    </header>
    <div id="columns">
      <nav id="pages" aria-label="Documentation">${navigation.join('\n')}</nav>
      <main id="content" tabindex="-1">
        ${contents.length > 1 ? `<details id="contents" open><summary>On this page</summary><nav aria-label="On this page"><ul>${contents.join('')}</ul></nav></details>` : ''}
        <article>${html}</article>
      </main>
    </div>`,
  });
}

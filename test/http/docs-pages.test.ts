import { readdirSync } from 'node:fs';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { createDocs } from '../../src/http/pages/docs/docs.ts';
import { renderMarkdown } from '../../src/http/pages/docs/markdown.ts';

const base = 'http://127.0.0.1/gateway/';
const docs = createDocs({ links: [['GraphiQL', 'graphql', false]] });
/** What else a gateway serves, which pages may link to. */
const others = new Set(['graphql', 'reference', 'dashboards', 'demo/widget']);

const get = (address: string) => docs.request(address.replace(base, 'http://127.0.0.1/'));
const parse = async (response: Response) => parseHTML(await response.text()).document;

/** Every page that is reached by links from the first one, with its document, by address. */
async function crawl(): Promise<Map<string, Document>> {
  const pages = new Map<string, Document>();
  const waiting = [`${base}docs`];
  for (const address of waiting) {
    if (pages.has(address)) continue;
    const response = await get(address);
    expect([address, response.status, response.headers.get('content-type')]).toEqual([
      address,
      200,
      'text/html; charset=utf-8',
    ]);
    const page = await parse(response);
    pages.set(address, page);
    for (const href of hrefsOf(page)) {
      const target = new URL(href, address);
      target.hash = '';
      if (target.href.startsWith(base) && !others.has(target.href.slice(base.length))) waiting.push(target.href);
    }
  }
  return pages;
}

const hrefsOf = (page: Document) => Array.from(page.querySelectorAll('a[href]'), (a) => a.getAttribute('href') ?? '');

describe('the pages of the documentation', async () => {
  const pages = await crawl();

  test('are all reached from the first one, below any path', () => {
    const names = readdirSync('docs').filter((name) => name.endsWith('.md'));
    const missing = names.filter((name) => !pages.has(`${base}docs/${name.slice(0, -3)}`));
    expect(missing).toEqual([]);
    for (const name of ['changelog', 'security', 'examples', 'examples-dashboard.ts', 'bench-results']) {
      expect(pages.has(`${base}docs/${name}`)).toBe(true);
    }
  });

  test('have links that resolve: to a page as HTML, and to an anchor that is in it', () => {
    const broken: string[] = [];
    for (const [address, page] of pages) {
      for (const href of hrefsOf(page)) {
        const target = new URL(href, address);
        const anchor = decodeURIComponent(target.hash.slice(1));
        target.hash = '';
        if (!target.href.startsWith(base)) {
          if (target.hostname === '127.0.0.1') broken.push(`${address}: ${href}`);
        } else if (!others.has(target.href.slice(base.length)) && (anchor || href === '#')) {
          if (!pages.get(target.href)?.getElementById(anchor)) broken.push(`${address}: ${href}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  test('have each id once, one heading of the first level, and pictures that are served', async () => {
    for (const [address, page] of pages) {
      const ids = Array.from(page.querySelectorAll('[id]'), ({ id }) => id);
      expect([address, ids.filter((id, place) => ids.indexOf(id) !== place)]).toEqual([address, []]);
      expect([address, page.querySelectorAll('h1').length]).toEqual([address, 1]);
      const pictures = Array.from(
        page.querySelectorAll('article img, article source'),
        (picture) => picture.getAttribute('src') ?? picture.getAttribute('srcset') ?? '',
      );
      for (const picture of pictures) {
        const response = await get(new URL(picture, address).href);
        expect([picture, response.headers.get('content-type')]).toEqual([picture, 'image/webp']);
      }
    }
  });

  test('have no number at the start of a line that would be one of a list', () => {
    const starts = [...pages].flatMap(([address, page]) =>
      Array.from(page.querySelectorAll('article ol[start]'), (list) => `${address} ${list.getAttribute('start')}`),
    );
    expect(starts).toEqual([]);
  });

  test('are found by every section in what the search reads', async () => {
    const sections = (await (await get(`${base}docs/search.json`)).json()) as { slug: string; id: string }[];
    expect(sections.length).toBeGreaterThan(150);
    const lost = sections.filter(({ slug, id }) => {
      const page = pages.get(`${base}docs${slug && '/'}${slug}`);
      return !page || (id && !page.getElementById(id));
    });
    expect(lost).toEqual([]);
  });

  test('are found once, not by the index of the operations too', async () => {
    const sections = (await (await get(`${base}docs/search.json`)).json()) as { slug: string; heading: string }[];
    const indexed = pages.get(`${base}docs/operations`)?.querySelectorAll('h3') ?? [];
    expect(indexed.length).toBeGreaterThan(15);
    const pagesOf = (heading: string | null) =>
      sections.filter((section) => section.heading === heading && section.slug.startsWith('operations'));
    const twice = Array.from(indexed, ({ textContent }) => textContent).filter((name) => pagesOf(name).length !== 1);
    expect(twice).toEqual([]);
    expect(sections.filter(({ slug }) => slug === 'operations').map(({ heading }) => heading)).toEqual(['Operations']);
  });

  test('have the policy of every page, and an ETag', async () => {
    const response = await get(`${base}docs/tour`);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
    const again = await docs.request('/docs/tour', {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test.each([
    ['/docs/dashboards.md', 'dashboards'],
    ['/docs/', '../docs'],
  ])('have one address: %s leads to it', async (asked, location) => {
    const response = await docs.request(asked);
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  });

  test('are these alone', async () => {
    for (const name of ['package.json', '../package.json', '..%2Fpackage.json', 'constructor', 'images/x.webp']) {
      expect([name, (await docs.request(`/docs/${name}`)).status]).toEqual([name, 404]);
    }
  });

  test.each(['/docs/nowhere', '/docs/no/where'])('are led to from %s, which is none, in a browser', async (asked) => {
    const response = await docs.request(asked, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const page = await parse(response);
    expect(page.querySelector('h1')?.textContent).toBe('Page not found');
    const targets = hrefsOf(page).map((href) => new URL(href, `http://127.0.0.1${asked}`).pathname);
    expect(targets).toEqual(expect.arrayContaining(['/docs/tour', '/docs', '/graphql']));
    const json = await docs.request('/docs/nowhere', { headers: { Accept: 'text/html;q=0, */*' } });
    expect(json.headers.get('content-type')).toContain('json');
    expect([response, json].map(({ headers }) => headers.get('vary'))).toEqual(['Accept', 'Accept']);
  });
});

describe('Markdown', () => {
  const render = (text: string) => renderMarkdown(text, (href) => (href.startsWith('src/') ? null : href));

  test('loses what could run: scripts, handlers and addresses of scripts', () => {
    const { html } = render(
      '# A\n\n<script>alert(1)</script><img src="x" onerror="alert(1)" alt="b">\n\n[c](javascript:alert(1))\n\n<a href="data:text/html,d" onclick="e()">f</a>',
    );
    expect(html).not.toMatch(/script|onerror|onclick|data:/);
    expect(html).toContain('alt="b"');
  });

  test('keeps code as it is', () => {
    expect(render('```html\n<script src="a"></script> & "b"\n```').html).toContain(
      '&lt;script src="a"&gt;&lt;/script&gt; &amp; "b"',
    );
  });

  test('has anchors as GitHub makes them, each once', () => {
    const { sections } = render('# A `b` & [c](d)\n\n## Who’s there?\n\ntext\n\n## Who’s there?');
    expect(sections.map(({ id }) => id)).toEqual(['', 'a-b--c', 'whos-there', 'whos-there-1']);
  });

  test('links to what is not served as text', () => {
    const { html } = render('[here](src/x.ts) and [there](y)');
    expect(html).toContain('<span>here</span> and <a href="y">there</a>');
  });
});

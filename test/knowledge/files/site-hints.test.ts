import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useSourceSite } from '../../support/knowledge/source-site.ts';

const { site, put, read } = useSourceSite();

describe('what a page says about itself is heeded:', () => {
  test.each([
    ['meta', '<meta name="ROBOTS" content="noindex, follow">', {}],
    ['none', '<meta name="robots" content="NONE">', {}],
    ['a header', '', { 'x-robots-tag': 'noarchive, noindex' }],
    ['a header for robots of our name', '', { 'x-robots-tag': 'googlebot: nofollow, Parley: noindex' }],
  ])('noindex in %s, though its links are followed', async (name, head, headers) => {
    put('/', 'Start', { links: ['/draft'] });
    put('/draft', 'Draft', { head, headers, links: ['/behind'] });
    put('/behind', 'Behind');
    const { status, pages, texts } = await read('/');
    expect(status).toBe('succeeded');
    expect(pages['/draft']).toMatchObject({ status: 'skipped', reason: 'Its author asks not to index it (noindex)' });
    expect(texts.join()).not.toContain('Draft');
    // "none" also asks not to follow links.
    expect(pages['/behind']?.status).toBe(name === 'none' ? undefined : 'succeeded');
  });

  test('noindex for another robot is not for us, and one of a start page keeps only its text out', async () => {
    put('/', 'Start', { links: ['/open'], head: '<meta name="robots" content="noindex">' });
    put('/open', 'Open', {
      headers: { 'x-robots-tag': 'googlebot: noindex' },
      head: '<meta name="googlebot" content="noindex">',
    });
    const { status, texts } = await read('/');
    expect(status).toBe('succeeded');
    expect(texts).toEqual(['The words of Open.']);
  });

  test('rel=canonical: pages with session ids are one, and links are not followed from duplicates', async () => {
    const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
    let session = 0;
    const page = (path: string, text: string, links: string[]) => ({
      by: () => {
        session += 1;
        const more = links.map((link) => `<a href="${link}?sid=${session}">more</a>`).join('');
        return {
          body: `<html><head><title>${text}</title>${canonical(path)}</head><body><main><h1>${text}</h1><p>Words of ${text}.</p></main><nav>${more}</nav></body></html>`,
        };
      },
    });
    const paths = ['/', '/a', '/b'];
    const texts: Record<string, string> = { '/': 'Start', '/a': 'Pier', '/b': 'Quay' };
    const original = site.pages.get.bind(site.pages);
    site.pages.get = (path) => {
      const bare = path.split('?')[0] ?? '';
      return texts[bare] ? page(bare, texts[bare], paths) : original(path);
    };
    try {
      const read1 = await read('/');
      expect(read1.texts.sort()).toEqual(['Words of Pier.', 'Words of Quay.', 'Words of Start.']);
      expect(session).toBeLessThan(20);
      const skipped = Object.values<any>(read1.pages).filter(({ status }) => status === 'skipped');
      expect(skipped.every(({ reason }) => reason.startsWith('It is the same page as '))).toBe(true);
    } finally {
      site.pages.get = original;
    }
  });

  test('a canonical address in the header Link, where the page names none', async () => {
    put('/', 'Start', { links: ['/a?print', '/b'] });
    const link = '<https://cdn.example/x.css>; rel=preload; as=style, </a>; title="a, b"; rel="canonical"';
    put('/a?print', 'Print', { headers: { link }, links: ['/behind'] });
    put('/a', 'Pier');
    put('/b', 'Quay', { headers: { link: '</b>; rel=canonical, </a>; rel="next alternate"' } });
    put('/behind', 'Behind');
    const { texts, pages } = await read('/');
    expect(texts.sort()).toEqual(['The words of Pier.', 'The words of Quay.', 'The words of Start.']);
    expect(pages['/a?print'].reason).toMatch(/^It is the same page as .*\/a$/);
  });

  test('a canonical address that leads to the start, or in a circle, is not believed', async () => {
    put('/', 'Start', { links: ['/a', '/c'], head: '<link rel="canonical" href="/">' });
    put('/a', 'Pier', { head: '<link rel="canonical" href="/">' });
    put('/c', 'Quay', { head: '<link rel="canonical" href="/d">' });
    put('/d', 'Dock', { head: '<link rel="canonical" href="/c">' });
    const { texts } = await read('/');
    expect(texts).toContain('The words of Pier.');
    expect(texts.filter((text) => /Quay|Dock/.test(text))).toHaveLength(1);
  });

  test('a pager is as near as its first page, however long', async () => {
    put('/', 'Start', { links: ['/news'] });
    for (let page = 1; page <= 12; page++) {
      const path = page === 1 ? '/news' : `/news?page=${page}`;
      put(path, `List ${page}`, { links: [`/item-${page}`, ...(page < 12 ? [`/news?page=${page + 1}`] : [])] });
      put(`/item-${page}`, `Item ${page}`);
    }
    const { pages, texts } = await read('/');
    expect(texts).toContain('The words of Item 12.');
    expect(pages['/news?page=12']).toMatchObject({ status: 'succeeded', depth: 1 });
    expect(pages['/item-12'].depth).toBe(2);
  });

  test('rel=next in the head, and pages in the path', async () => {
    put('/', 'Start', { links: ['/news/'] });
    put('/news/', 'List 1', { links: ['/news/page/2/'] });
    put('/news/page/2/', 'List 2', { links: ['/news/page/3/'] });
    put('/news/page/3/', 'List 3', { head: '<link rel="next" href="/news/more">' });
    put('/news/more', 'List 4', { links: ['/last'] });
    put('/last', 'Last');
    expect((await read('/')).texts).toContain('The words of Last.');
  });

  test.each(['site', 'page'])('meta refresh is followed, for a %s', async (type) => {
    site.pages.set('/old/', { body: '<meta http-equiv="Refresh" content="0; URL=\'/old/new.html\'"><p>Moved</p>' });
    put('/old/new.html', 'New');
    const { status, texts } = await read('/old/', type);
    expect([status, texts]).toEqual(['succeeded', ['The words of New.']]);
  });

  test('a refresh for browsers without scripts, or one that only reloads, is none', async () => {
    put('/', 'Start', {
      head: '<noscript><meta http-equiv="refresh" content="0;url=/nojs"></noscript><meta http-equiv="refresh" content="300">',
    });
    expect((await read('/')).texts).toEqual(['The words of Start.']);
  });
});

describe('what a server asks is heeded:', () => {
  test.each([
    [429, 'site'],
    [503, 'site'],
    [429, 'page'],
    [503, 'page'],
  ])('Retry-After of %d, for a %s', async (status, type) => {
    let firstAt = 0;
    let waited = 0;
    put('/', 'Start');
    const ready = site.pages.get('/');
    site.pages.set('/', {
      by: () => {
        if (firstAt === 0) {
          firstAt = performance.now();
          return { status, headers: { 'retry-after': type === 'page' ? '3' : '1' } };
        }
        waited = performance.now() - firstAt;
        return ready ?? {};
      },
    });
    expect((await read('/', type)).texts).toEqual(['The words of Start.']);
    // The queue alone would try again after one or two seconds.
    expect(waited).toBeGreaterThan(type === 'page' ? 2_990 : 990);
  });

  test.each(['site', 'page'])('a cookie that it sets before it redirects to the same page, for a %s', async (type) => {
    put('/', 'Start');
    const ready = site.pages.get('/') ?? {};
    site.pages.set('/', {
      by: ({ headers }) =>
        headers.cookie?.includes('seen=1')
          ? ready
          : { status: 302, location: '/', headers: { 'set-cookie': 'seen=1; Path=/' } },
    });
    expect((await read('/', type)).texts).toEqual(['The words of Start.']);
  });
});

describe('a sitemap is read as', () => {
  test.each<[string, string | Uint8Array]>([
    ['text', '\ufeff/a\r\n# comment\r\n/b\r\n'],
    ['text in gzip', gzipSync('/a\n/b\n')],
    ['XML with relative addresses', '<urlset><url><loc>/a</loc></url><url><loc>b</loc></url></urlset>'],
    [
      'XML with a prefix',
      '<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:url><sm:loc>/a</sm:loc></sm:url><sm:url><sm:loc>/b</sm:loc></sm:url></sm:urlset>',
    ],
    [
      'XML with pages in other languages',
      '<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>/a</loc><xhtml:link rel="alternate" hreflang="de" href="/b"/><xhtml:link rel="alternate" hreflang="en" href="/a"/></url></urlset>',
    ],
    [
      'RSS',
      '<rss version="2.0"><channel><link>/</link><item><link>/a</link></item><item><link>/b</link></item></channel></rss>',
    ],
    [
      'Atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="enclosure" href="/x.mp3"/><link href="/a"/></entry><entry><link rel="alternate" href="/b"/></entry></feed>',
    ],
    [
      'XML of pages with pictures',
      '<urlset xmlns:image="i"><url><image:image><image:loc>/x.png</image:loc></image:image><loc>/a</loc></url><url><loc>/b</loc></url></urlset>',
    ],
  ])('%s', async (_name, body) => {
    put('/', 'Start');
    put('/a', 'Pier');
    put('/b', 'Quay');
    site.pages.set('/robots.txt', { body: 'User-agent: *\nAllow: /\nSitemap: /maps/../list\n', type: 'text/plain' });
    site.pages.set('/list', { body, type: 'text/plain' });
    expect((await read('/')).texts.sort()).toEqual(['The words of Pier.', 'The words of Quay.', 'The words of Start.']);
  });
});

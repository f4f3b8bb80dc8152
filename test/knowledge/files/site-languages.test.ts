import { describe, expect, test } from 'vitest';
import { languageOf } from '../../../src/knowledge/extract/html/page-hints.ts';
import { useSourceSite } from '../../support/knowledge/source-site.ts';

const { site, put, read } = useSourceSite();
const hreflang = (entries: Record<string, string>) =>
  Object.entries(entries)
    .map(([language, path]) => `<link rel="alternate" hreflang="${language}" href="${path}">`)
    .join('');

describe('a page in several languages:', () => {
  const all = hreflang({ en: '/en/a', 'pt-BR': '/pt/a', de: '/de/a', 'x-default': '/en/a' });

  test('each of them is read, as near as the page itself, though nothing links to it', async () => {
    put('/', 'Start', { links: ['/en/a', '/en/b'] });
    put('/en/a', 'Pier', { head: all, links: ['/de/a', '/en/c'] });
    put('/en/b', 'Quay');
    put('/en/c', 'Dock');
    put('/pt/a', 'Molhe', { head: all });
    put('/de/a', 'Mole', { head: all });
    const { texts, pages } = await read('/');
    expect(texts.sort()).toEqual(['Dock', 'Mole', 'Molhe', 'Pier', 'Quay', 'Start'].map((t) => `The words of ${t}.`));
    expect(pages['/de/a']).toMatchObject({ status: 'succeeded', depth: 1 });
  });

  test('those outside of the address that was named are not', async () => {
    put('/en/', 'Start', { head: hreflang({ en: '/en/', de: '/de/' }) });
    put('/de/', 'Anfang');
    expect((await read('/en/')).texts).toEqual(['The words of Start.']);
  });

  test.each([
    [
      'in the header Link',
      {},
      { link: '</de/a>; rel="alternate"; hreflang=de, </en/a>; rel=alternate; hreflang="en"' },
    ],
    ['in the page', { head: hreflang({ de: '/de/a', en: '/en/a' }) }, {}],
  ])('%s', async (_name, page, headers) => {
    put('/', 'Start', { links: ['/en/a'] });
    put('/en/a', 'Pier', { ...page, headers });
    put('/de/a', 'Mole');
    expect((await read('/')).texts).toContain('The words of Mole.');
  });

  test('a canonical address in another language is not believed, one in its own is', async () => {
    const canonical = '<link rel="canonical" href="/en/a">';
    put('/', 'Start', { links: ['/de/a', '/en/a?sid=1'] });
    put('/en/a', 'Pier', { head: all });
    put('/en/a?sid=1', 'Pier with a session', { head: all + canonical });
    put('/de/a', 'Mole', { head: all + canonical });
    put('/pt/a', 'Molhe', { head: all + canonical });
    const { texts, pages } = await read('/');
    expect(texts.sort()).toEqual(['Mole', 'Molhe', 'Pier', 'Start'].map((text) => `The words of ${text}.`));
    expect(pages['/en/a?sid=1'].reason).toMatch(/^It is the same page as .*\/en\/a$/);
  });

  test('where pages are limited, the language that was named comes first', async () => {
    const pages = ['/', '/a', '/b'];
    for (const path of pages) {
      put(path, `English ${path}`, { links: pages, head: hreflang({ en: path, de: `/de${path}` }) });
      put(`/de${path}`, `Deutsch ${path}`, { head: hreflang({ en: path, de: `/de${path}` }) });
    }
    const { texts } = await read('/', 'site', { maxPages: 4 });
    expect(texts.filter((text) => text.includes('English'))).toHaveLength(3);
  });
});

describe('the language of a page is known by what declares it:', () => {
  const canonical = '<link rel="canonical" href="/de/a">';
  const both = hreflang({ en: '/en/a', de: '/de/a' });

  test.each([
    ['the address of another language', 'en'],
    ['a language that the site does not have', 'fr'],
    ['nothing', ''],
    ['no language', 'x'],
    ['a name', 'German'],
    ['an underscore', 'de_DE'],
    ['a script', 'de-Latn-DE'],
    ['three letters', 'deu'],
  ])('a page with a session id is the same page, with %s in lang', async (_, lang) => {
    put('/', 'Start', { links: ['/de/a?sid=1'] });
    put('/de/a?sid=1', 'Mole with a session', { head: both + canonical, lang, links: ['/behind?sid=1'] });
    put('/de/a', 'Mole', { head: both + canonical, lang });
    put('/en/a', 'Pier', { head: both });
    put('/behind?sid=1', 'Behind');
    const { texts, pages } = await read('/');
    expect(pages['/de/a?sid=1']?.reason).toMatch(/^It is the same page as .*\/de\/a$/);
    expect(texts.sort()).toEqual(['Mole', 'Pier', 'Start'].map((text) => `The words of ${text}.`));
  });

  test.each([
    ['its own parameter', '/a?lang=de&sid=1', { en: '/a', de: '/a?lang=de', 'x-default': '/a' }, '/a?lang=de'],
    ['a slash at the end', '/de/a/', { en: '/en/a', de: '/de/a' }, '/de/a'],
    ['the name of its file', '/de/index.html', { en: '/en/', de: '/de/' }, '/de/'],
    ['x-default first', '/de/a?sid=1', { 'x-default': '/de/a', de: '/de/a', en: '/en/a' }, '/de/a'],
    ['a region', '/de/a?sid=1', { 'de-AT': '/at/a', 'de-DE': '/de/a', 'en-GB': '/en/a' }, '/de/a'],
  ])('%s', async (_, path, languages, own) => {
    put('/', 'Start', { links: [path] });
    const head = `${hreflang(languages as Record<string, string>)}<link rel="canonical" href="${own}">`;
    put(path, 'Mole with a session', { head, lang: 'en' });
    put(own, 'Mole', { head, lang: 'en' });
    const { pages } = await read('/');
    expect(pages[path]?.reason).toMatch(/^It is the same page as /);
    expect(pages[own]?.status).toBe('succeeded');
  });

  const hosts = { en: 'https://example.com/a', de: 'https://de.example.com/a' };
  test.each<[string, string, Record<string, string>, string]>([
    ['https://de.example.com/a', 'de', hosts, 'de'],
    ['https://de.example.com/a?sid=1', 'en', hosts, 'de'],
    ['https://www.example.com/a', 'de', hosts, 'en'],
    ['https://example.com/a', '', { de: 'https://www.example.com/a', en: 'https://example.com/a' }, 'en'],
    ['https://example.com/', 'en', { 'x-default': 'https://example.com/', de: 'https://example.com/de/' }, 'en'],
    ['https://example.com/', '', { 'x-default': 'https://example.com/', de: 'https://example.com/de/' }, ''],
  ])('%s with lang="%s" among %j is in "%s"', (url, language, entries, expected) => {
    const alternates = Object.entries(entries).map(([hreflang, address]) => ({ url: address, hreflang }));
    expect(languageOf({ language, alternates }, url)).toBe(expected);
  });

  test('a start page for x-default is in its own language, and leads to the pages of that', async () => {
    const head = hreflang({ 'x-default': '/', en: '/en/', de: '/de/' });
    put('/', 'Start', { head, lang: 'en', links: ['/?sid=1'] });
    put('/?sid=1', 'Start with a session', { head: `${head}<link rel="canonical" href="/">`, lang: 'en' });
    put('/en/', 'Pier', { head, links: ['/en/b'] });
    put('/en/b', 'Quay');
    put('/de/', 'Mole', { head });
    const { texts } = await read('/', 'site', { maxPages: 4 });
    expect(texts.sort()).toEqual(['Pier', 'Quay', 'Start'].map((text) => `The words of ${text}.`));
  });
});

describe('sitemaps:', () => {
  const putSitemaps = (bodies: string[]) => {
    const lines = bodies.map((_, index) => `Sitemap: /map-${index}.xml`).join('\n');
    site.pages.set('/robots.txt', { body: `User-agent: *\nAllow: /\n${lines}\n`, type: 'text/plain' });
    for (const [index, body] of bodies.entries())
      site.pages.set(`/map-${index}.xml`, { body: `<urlset xmlns:xhtml="x">${body}</urlset>` });
  };
  const entry = (path: string, languages: Record<string, string> = {}) =>
    `<url><loc>${path}</loc>${Object.entries(languages)
      .map(([language, href]) => `<xhtml:link rel="alternate" hreflang="${language}" href="${href}"/>`)
      .join('')}</url>`;

  test.each([
    ['without hreflang', () => ({})],
    ['that declare the language of the start page', (path: string) => ({ en: path })],
  ])('of one language, %s, are read until they list enough pages', async (_, languages) => {
    put('/', 'Start', { lang: 'en' });
    putSitemaps(
      [1, 2, 3].map((map) => ['a', 'b'].map((name) => entry(`/${name}${map}`, languages(`/${name}${map}`))).join('')),
    );
    await read('/', 'site', { maxPages: 1 });
    expect([0, 1, 2].map((map) => site.visits.get(`/map-${map}.xml`))).toEqual([1, undefined, undefined]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['an entry without a language keeps that of another', { en: '/a', de: '/de/a' }, '/de/a'],
    ['a start page for x-default has its own language', { 'x-default': '/', en: '/a', de: '/de/a' }, '/b'],
  ])('%s', async (_, languages, again) => {
    put('/', 'Start', { lang: 'en' });
    put('/a', 'Pier');
    put('/b', 'Quay');
    put('/de/a', 'Mole');
    putSitemaps([entry('/de/a', languages) + entry('/a', languages), entry(again) + entry('/b')]);
    const { texts } = await read('/', 'site', { maxPages: 3 });
    expect(texts.sort()).toEqual(['Pier', 'Quay', 'Start'].map((text) => `The words of ${text}.`));
  });
});

describe('where pages are limited, those of the language that was named are read first:', () => {
  const languages = ['de', 'fr', 'it', 'nl', 'pl'];
  const versions = (path: string) =>
    hreflang({ en: path, ...Object.fromEntries(languages.map((each) => [each, `/${each}${path}`])) });
  /** A site of six languages whose pages lead one to the next. */
  const putChain = (path: string, next: string[]) => {
    put(path, `English ${path}`, { links: next, head: versions(path) });
    for (const each of languages) {
      const links = next.map((link) => `/${each}${link}`);
      put(`/${each}${path}`, `${each} ${path}`, { head: versions(path), links });
    }
  };
  const chain = () => {
    putChain('/', ['/a']);
    putChain('/a', ['/b']);
    putChain('/b', ['/c']);
    putChain('/c', []);
  };
  const english = ['/', '/a', '/b', '/c'].map((path) => `The words of English ${path}.`);

  test('deeper pages before translations, which fill what is left', async () => {
    chain();
    const { texts, pages } = await read('/', 'site', { maxPages: 6 });
    expect(texts.filter((text) => text.includes('English')).sort()).toEqual(english);
    expect(texts).toHaveLength(6);
    expect(pages['/de/']).toMatchObject({ status: 'succeeded', depth: 1 });
    const left = Object.values<any>(pages).filter(({ status }) => status === 'skipped');
    expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(['The site has more than 6 pages']));
  });

  test('a switch of languages on each page takes no room', async () => {
    chain();
    const switches = languages.map((each) => `/${each}/`);
    for (const path of ['/', '/a', '/b'])
      put(path, `English ${path}`, {
        links: [...switches, `/${{ '/': 'a', '/a': 'b' }[path] ?? 'c'}`],
        head: versions(path),
      });
    const { texts } = await read('/', 'site', { maxPages: 4 });
    expect(texts.sort()).toEqual(english);
  });

  test('translations that a sitemap lists', async () => {
    chain();
    const entry = (path: string, own: string) =>
      `<url><loc>${own}</loc>${['en', ...languages].map((each) => `<xhtml:link rel="alternate" hreflang="${each}" href="${each === 'en' ? '' : `/${each}`}${path}"/>`).join('')}</url>`;
    const entries = ['/', '/a'].flatMap((path) => [
      ...languages.map((each) => entry(path, `/${each}${path}`)),
      entry(path, path),
    ]);
    site.pages.set('/sitemap.xml', {
      body: `<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml">${entries.join('')}</urlset>`,
    });
    const { texts } = await read('/', 'site', { maxPages: 4 });
    expect(texts.sort()).toEqual(english);
  });

  test('all of them without a limit, each once', async () => {
    chain();
    const { texts, status } = await read('/');
    expect(status).toBe('succeeded');
    expect(texts).toHaveLength(24);
    expect(site.visits.get('/pl/c')).toBe(1);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createQueue } from '../../src/queue/queue.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const site = useSite();
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  gateway = await openGateway({
    FETCH_ALLOW_HOSTS: new URL(site.url('/')).host,
    CRAWL_DELAY_MS: '0',
    CRAWL_MAX_PAGES: '60',
  });
  home = await makeWorkspace(gateway);
  await gateway.work();
});
afterAll(() => gateway.close());

const html = (title: string, text: string, links: string[] = []) => ({
  body: `<html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main><nav>${links.map((link) => `<a href="${link}">more</a> `).join('')}</nav></body></html>`,
});
const seen = `query ($id: ID!) { base(id: $id) { status records
  sources { nodes { id status reason attempts done total file { title }
    pages(first: 100) { nodes { id url status reason title depth records } }
    passages(first: 100) { nodes { text place } } } } } }`;
async function crawl(path: string, data?: object): Promise<string> {
  const input = { description: 'Site', sources: [{ type: 'site', file: { url: site.url(path), data } }] };
  return (await gateway.data(home.editor, create, { input })).createBase.base.id;
}
async function see(id: string): Promise<any> {
  const { base } = await gateway.data(home.viewer, seen, { id });
  const [source] = base.sources.nodes;
  const pages = Object.fromEntries(source.pages.nodes.map((page: any) => [new URL(page.url).pathname, page]));
  return { ...base, source, pages, texts: source.passages.nodes.map((passage: any) => passage.text) };
}
async function settled(id: string): Promise<any> {
  await gateway.services.queue.idle();
  return see(id);
}
const again = async (id: string) => {
  const { source } = await see(id);
  await gateway.data(home.editor, `mutation { retrySource(input: { id: "${source.id}" }) { source { id } } }`);
  return settled(id);
};

describe('a site', () => {
  test('of fifty pages: each has its outcome, and what is broken or hostile costs nothing but itself', async () => {
    const links = Array.from({ length: 50 }, (_, index) => `/shop/p${index}`);
    const more = [
      '/shop/broken',
      '/shop/gone',
      '/shop/loop',
      '/shop/inside',
      '/shop/out',
      '/shop/closed/x',
      '/else/',
      'mailto:a@b.c',
    ];
    site.pages.set('/robots.txt', { body: 'User-agent: *\nDisallow: /shop/closed/\n', type: 'text/plain' });
    site.pages.set('/shop/', html('The shop', 'Open from nine.', [...links, ...more, '#top', '/shop/?utm_source=x']));
    for (const [index, link] of links.entries())
      site.pages.set(link, html(`Page ${index}`, `This is product number ${index}.`, ['/shop/']));
    site.pages.set('/shop/broken', { status: 500 });
    site.pages.set('/shop/loop', { status: 302, location: '/shop/loop' });
    site.pages.set('/shop/inside', { status: 302, location: 'http://127.0.0.1:9002/admin' });
    site.pages.set('/shop/out', { status: 302, location: '/else/' });
    site.pages.set('/else/', html('Elsewhere', 'Not of the shop.'));
    site.pages.set('/shop/closed/x', html('Closed', 'A secret.'));
    const { status, records, source, pages, texts } = await settled(await crawl('/shop/'));
    expect([status, records, source.status, source.file.title]).toEqual(['succeeded', 51, 'succeeded', 'The shop']);
    expect([source.done, source.total]).toEqual([57, 57]);
    expect(texts).toContain('This is product number 33.');
    const passage = source.passages.nodes.find(({ text }: any) => text === 'This is product number 33.');
    expect(passage.place).toEqual({ heading: 'Page 33', title: 'Page 33', url: site.url('/shop/p33') });
    expect(pages['/shop/p33']).toMatchObject({
      status: 'succeeded',
      reason: null,
      title: 'Page 33',
      depth: 1,
      records: 1,
    });
    const outcomes = ['broken', 'gone', 'loop', 'inside', 'out', 'closed/x'].map((name) => [
      pages[`/shop/${name}`].status,
      pages[`/shop/${name}`].reason,
    ]);
    expect(outcomes).toEqual([
      ['failed', 'The page responded with 500'],
      ['failed', 'The page responded with 404'],
      ['failed', expect.stringMatching(/redirects too many times/)],
      ['failed', 'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)'],
      ['skipped', 'It redirects out of the site'],
      ['failed', 'Its robots.txt disallows it'],
    ]);
    expect(Object.keys(pages)).not.toContain('/else/');
    expect(site.visits.get('/shop/closed/x')).toBeUndefined();
    expect(site.visits.get('/shop/broken')).toBe(3);
    expect(site.visits.get('/shop/p1')).toBe(1);
  });

  test('is read again without a gap: what is unchanged stays, what changed is put in its place, what is gone goes', async () => {
    site.pages.set('/news/', html('News', 'All of it.', ['/news/a', '/news/b', '/news/c']));
    for (const name of ['a', 'b', 'c']) site.pages.set(`/news/${name}`, html(name, `The first word of ${name}.`));
    const id = await crawl('/news/');
    const first = await settled(id);
    const ids = async () =>
      (
        await gateway.database.passage.findMany({
          where: { baseId: id },
          orderBy: { text: 'asc' },
          select: { id: true, text: true },
        })
      ).map((row) => [row.text, row.id]);
    const before = new Map((await ids()) as [string, string][]);
    site.pages.set('/news/b', html('b', 'The second word of b.'));
    site.pages.set('/news/', html('News', 'All of it.', ['/news/a', '/news/b']));
    const second = await again(id);
    const after = new Map((await ids()) as [string, string][]);
    expect([first.records, second.records, second.status]).toEqual([4, 3, 'succeeded']);
    expect([...after.keys()].toSorted()).toEqual(['All of it.', 'The first word of a.', 'The second word of b.']);
    expect(after.get('The first word of a.')).toBe(before.get('The first word of a.'));
    expect(Object.keys(second.pages).toSorted()).toEqual(['/news/', '/news/a', '/news/b']);
    site.pages.set('/news/', { status: 404 });
    expect(await again(id)).toMatchObject({
      status: 'failed',
      records: 2,
      source: { reason: 'The page responded with 404' },
    });
  });

  test('lists pages that nothing links to in its sitemaps', async () => {
    const map = (entries: string[], name: string) =>
      `<?xml version="1.0"?><${name}>${entries.map((url) => `<${name === 'urlset' ? 'url' : 'sitemap'}><loc>${url}</loc></${name === 'urlset' ? 'url' : 'sitemap'}>`).join('')}</${name}>`;
    site.pages.set('/sitemap.xml', {
      body: map([site.url('/maps/1.xml'), site.url('/maps/none.xml')], 'sitemapindex'),
      type: 'text/xml',
    });
    site.pages.set('/maps/1.xml', {
      body: map([site.url('/guide/lonely?a=1&amp;b=2'), site.url('/other')], 'urlset'),
      type: 'text/xml',
    });
    site.pages.set('/guide/', html('Guide', 'A guide.'));
    site.pages.set('/guide/lonely?a=1&b=2', html('Lonely', 'Nobody links here.'));
    const { texts, pages } = await settled(await crawl('/guide/'));
    expect(texts.toSorted()).toEqual(['A guide.', 'Nobody links here.']);
    expect(Object.keys(pages)).toEqual(['/guide/', '/guide/lonely']);
    site.pages.delete('/sitemap.xml');
  });

  test('is read up to its limits, and says what it left out', async () => {
    for (let index = 0; index < 9; index++)
      site.pages.set(`/deep/${index || ''}`, html(`${index}`, `Depth ${index}.`, [`/deep/${index + 1}`, '/deep/7']));
    const deep = await settled(await crawl('/deep/', { maxDepth: 2 }));
    expect(deep.texts.toSorted()).toEqual(['Depth 0.', 'Depth 1.', 'Depth 2.', 'Depth 7.', 'Depth 8.']);
    expect(deep.pages['/deep/3']).toMatchObject({ status: 'skipped', reason: 'It is more than 2 links away' });
    const few = await settled(await crawl('/deep/', { maxPages: 2 }));
    expect([few.records, few.source.total]).toEqual([2, 2]);
    expect(few.pages['/deep/7']).toMatchObject({ status: 'skipped', reason: 'The site has more than 2 pages' });
  });

  test('read again up to a lower limit, answers no more from what it leaves out', async () => {
    const links = Array.from({ length: 8 }, (_, index) => `/shrunk/p${index}`);
    site.pages.set('/shrunk/', html('Shrunk', 'All of it.', links));
    for (const link of links) site.pages.set(link, html(link, `The text of ${link}.`));
    const id = await crawl('/shrunk/');
    expect((await settled(id)).records).toBe(9);
    const put = `mutation ($input: UpdateBaseInput!) { updateBase(input: $input) { base { id } } }`;
    const sources = [{ type: 'site', file: { url: site.url('/shrunk/'), data: { maxPages: 4 } } }];
    await gateway.data(home.editor, put, { input: { id, description: 'Site', sources } });
    const { records, texts, pages } = await settled(id);
    expect([records, texts.length, pages['/shrunk/p6'].records]).toEqual([4, 4, 0]);
    expect(texts).not.toContain('The text of /shrunk/p6.');
  });

  test('one text under two addresses is one page; an address that leads to another is no page', async () => {
    site.pages.set('/two/', html('Two', 'The start.', ['/two/a', '/two/a?print=1', '/two/old', '/two/new']));
    site.pages.set('/two/a', html('A', 'The same.'));
    site.pages.set('/two/a?print=1', html('A', 'The same.'));
    site.pages.set('/two/old', { status: 301, location: '/two/new' });
    site.pages.set('/two/new', html('New', 'The new one.'));
    const { texts, source } = await settled(await crawl('/two/'));
    expect(texts.toSorted()).toEqual(['The new one.', 'The same.', 'The start.']);
    const skipped = source.pages.nodes
      .filter(({ status }: any) => status === 'skipped')
      .map(({ reason }: any) => reason);
    expect(skipped).toEqual([
      `It has the same text as ${site.url('/two/a')}`,
      `It redirects to ${site.url('/two/new')}`,
    ]);
  });

  test('of which nothing can be read fails with the reason', async () => {
    site.pages.set('/closed/', { status: 403 });
    expect(await settled(await crawl('/closed/'))).toMatchObject({
      status: 'failed',
      records: 0,
      source: { reason: 'The page responded with 403' },
    });
  });

  /** Interrupts the crawl of a site at this page, and lets another process continue. */
  async function cutOff(link: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
    const { handle, services } = gateway;
    await expect.poll(() => site.visits.get(link) ?? 0).toBeGreaterThan(0);
    await services.queue.close(0);
    services.queue = createQueue({ handle, log: services.log });
    site.pages.set(link, html(link, `This is ${link}.`));
    await meanwhile();
    await handle.pool.query(`UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE state = 'active'`);
    await gateway.work(services);
  }
  function makeLinked(path: string, count: number, hanging: number): string[] {
    const links = Array.from({ length: count }, (_, index) => `${path}${index}`);
    site.pages.set(path, html('Cut', 'The start.', links));
    for (const [index, link] of links.entries()) {
      const page = html(link, `This is ${link}.`);
      site.pages.set(link, index === hanging ? { ...page, until: new Promise(() => {}) } : page);
    }
    return links;
  }

  test('cut off goes on where it was, and has no passage twice', async () => {
    const links = makeLinked('/cut/', 20, 9);
    const id = await crawl('/cut/');
    await cutOff(links[9] as string);
    const { records, status, texts, source } = await settled(id);
    expect([records, status, new Set(texts).size, source.done, source.total]).toEqual([21, 'succeeded', 21, 21, 21]);
    expect(site.visits.get('/cut/1')).toBe(1);
  });

  test('loses no page to some restarts, and gives up a page that was there at ten', async () => {
    const links = makeLinked('/worn/', 4, 1);
    const id = await crawl('/worn/');
    const wear = (link: string, tries: number) =>
      gateway.database.sourcePage.updateMany({ where: { url: site.url(link) }, data: { tries } });
    await cutOff(links[1] as string, () => Promise.all([wear(links[1] as string, 9), wear(links[3] as string, 10)]));
    const { status, pages } = await settled(id);
    expect([status, pages[links[1] as string].status]).toEqual(['succeeded', 'succeeded']);
    expect(pages[links[3] as string]).toMatchObject({
      status: 'failed',
      reason: 'It was interrupted 10 times',
      records: 0,
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create, html } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const site = useSite();
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  gateway = await openGateway({
    FETCH_ALLOW_HOSTS: new URL(site.url('/')).host,
    CRAWL_DELAY_MS: '0',
    CRAWL_MAX_PAGES: '10',
  });
  home = await makeWorkspace(gateway);
  await gateway.work();
});
afterAll(() => gateway.close());
beforeEach(() => {
  site.pages.clear();
  site.visits.clear();
  site.pages.set('/', { body: html('Open from nine.') });
});

const seen = `query ($id: ID!) { base(id: $id) { sources { nodes { id status reason warnings
  skipped: pages(first: 100, filter: { status: skipped }) { totalCount } } } } }`;
const crawl = async (): Promise<string> => {
  const input = { description: 'Site', sources: [{ type: 'site', file: { url: site.url('/') } }] };
  return (await gateway.data(home.editor, create, { input })).createBase.base.id;
};
const settled = async (id: string) => {
  await gateway.services.queue.idle();
  return (await gateway.data(home.viewer, seen, { id })).base.sources.nodes[0];
};

describe('a robots.txt (RFC 9309)', () => {
  test.each([401, 404])('that answers %d has no rules', async (status) => {
    site.pages.set('/robots.txt', { status, body: 'User-agent: *\nDisallow: /\n' });
    expect(await settled(await crawl())).toMatchObject({ status: 'succeeded' });
  });

  test('that redirects without end has no rules', async () => {
    site.pages.set('/robots.txt', { status: 302, location: '/robots.txt' });
    expect(await settled(await crawl())).toMatchObject({ status: 'succeeded' });
  });

  test.each([503, 429])('that answers %d forbids everything, until it is there', async (status) => {
    site.pages.set('/robots.txt', { status });
    const id = await crawl();
    const source = await settled(id);
    expect(source).toMatchObject({
      status: 'failed',
      reason: `Its robots.txt could not be read: The page responded with ${status}`,
    });
    expect(site.visits.get('/')).toBeUndefined();
    expect(site.visits.get('/robots.txt')).toBe(3);
    site.pages.set('/robots.txt', { body: 'User-agent: *\nDisallow: /other\n' });
    await gateway.data(home.editor, `mutation { retrySource(input: { id: "${source.id}" }) { source { id } } }`);
    expect(await settled(id)).toMatchObject({ status: 'succeeded' });
  });

  test('that leads to where nothing may be fetched forbids everything', async () => {
    site.pages.set('/robots.txt', { status: 302, location: 'http://127.0.0.1:9002/robots.txt' });
    expect(await settled(await crawl())).toMatchObject({
      status: 'failed',
      reason:
        'Its robots.txt could not be read: The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)',
    });
    expect(site.visits.get('/')).toBeUndefined();
  });

  test('that is too large has the rules of its first 512 kB', async () => {
    const filler = `# ${'x'.repeat(98)}\n`.repeat(6_000);
    site.pages.set('/robots.txt', { body: `User-agent: *\nDisallow: /\n${filler}`, type: 'text/plain' });
    expect(await settled(await crawl())).toMatchObject({
      status: 'failed',
      reason: 'Its robots.txt disallows it',
    });
    site.pages.set('/robots.txt', { body: `User-agent: *\n${filler}Disallow: /\n`, type: 'text/plain' });
    expect(await settled(await crawl())).toMatchObject({ status: 'succeeded' });
  });
});

test('pages beyond the limit are listed as skipped, no more of them in all than may be read, and a warning says so', async () => {
  const links = (name: string, count: number) => Array.from({ length: count }, (_, index) => `/${name}${index}`);
  const page = (text: string, to: string[]) => ({
    body: `${html(text)}<nav>${to.map((link) => `<a href="${link}">more</a>`).join(' ')}</nav>`,
  });
  site.pages.set('/', page('The start.', links('a', 9)));
  for (const [index, link] of links('a', 9).entries())
    site.pages.set(link, page(`Page ${index}.`, links(`b${index}-`, 8)));
  const id = await crawl();
  const source = await settled(id);
  expect(source).toMatchObject({
    status: 'succeeded',
    skipped: { totalCount: 10 },
    warnings: ['More pages were found than are listed: of those skipped for a limit, 10 are'],
  });
  site.pages.set('/', page('The start.', links('a', 1)));
  await gateway.data(home.editor, `mutation { retrySource(input: { id: "${source.id}" }) { source { id } } }`);
  expect(await settled(id)).toMatchObject({ status: 'succeeded', skipped: { totalCount: 0 }, warnings: [] });
});

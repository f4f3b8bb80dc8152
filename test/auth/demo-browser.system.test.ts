import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../prisma/seed.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../support/browser/browser.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';

describe.skipIf(!chromiumPath)('in a browser (left out where no Chromium is; CHROMIUM may name one)', () => {
  let gateway: Gateway;
  let server: Listening;
  const browser = openBrowser();
  const asked: { url: string; referer: string }[] = [];

  beforeAll(async () => {
    gateway = await openGateway({ DEMO: 'true' });
    await seedDemo(gateway.services);
    const { app } = gateway;
    const fetch = (request: Request, env: object) => {
      asked.push({ url: request.url, referer: request.headers.get('referer') ?? '' });
      return app.fetch(request, env as never);
    };
    server = await listen(fetch, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
    await gateway?.close();
  });

  const newKey = async () => (await gateway.services.demoSessions?.issueKey()) ?? '';
  async function visit(address: string, context?: Page['context']): Promise<Page> {
    const page = await (context?.() ?? (await browser.newContext())).newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(address);
    return page;
  }
  const notice = (page: Page) => page.locator('#notice');

  /** Runs the operation in GraphiQL, and returns its result. */
  async function runExample(page: Page): Promise<string> {
    await page.locator('.graphiql-execute-button').click();
    const answer = page.locator('.graphiql-response');
    await expect.poll(() => answer.textContent()).toMatch(/"data"|"errors"/);
    return (await answer.textContent()) ?? '';
  }

  /** The lower edge of the last button in GraphiQL's sidebar. */
  async function lowestOf(page: Page): Promise<number> {
    const box = await page.getByRole('button', { name: 'Open settings dialog' }).boundingBox();
    return box ? box.y + box.height : Infinity;
  }

  test('GraphiQL opened with the key works at once, on a reload too, and shows the key nowhere', async () => {
    const key = await newKey();
    const page = await visit(`${server.url}/graphql#key=${key}`);
    expect(await runExample(page)).toContain('"data"');
    expect(page.url()).toBe(`${server.url}/graphql`);
    expect(await notice(page).isVisible()).toBe(false);
    await page.reload();
    expect(await runExample(page)).toContain('"data"');

    // All pages of the browser share the cookie, and so the token.
    const reference = await visit(`${server.url}/reference`, page.context.bind(page));
    const held = () => (globalThis as unknown as { parleySession: Promise<string | undefined> }).parleySession;
    expect(await reference.evaluate(held)).toMatch(/^eyJ/);
    expect(await reference.evaluate(() => globalThis.document.cookie)).toBe('');

    expect(asked.some(({ url }) => url.endsWith('/demo/token'))).toBe(true);
    expect(JSON.stringify(asked)).not.toContain(key);
    expect(
      await page.evaluate(() => JSON.stringify([globalThis.localStorage, globalThis.sessionStorage])),
    ).not.toContain(key);
  });

  test('a page that is open takes a key too', async () => {
    const page = await visit(`${server.url}/graphql`);
    await notice(page).waitFor();
    await page.goto(`${server.url}/graphql#key=${await newKey()}`);
    await notice(page).waitFor({ state: 'hidden' });
    expect(await runExample(page)).toContain('"data"');
    expect(page.url()).toBe(`${server.url}/graphql`);
  });

  test('without a key, or with one that was used, a page works and says how to get a token', async () => {
    const key = await newKey();
    await visit(`${server.url}/graphql#key=${key}`).then((page) => runExample(page));
    for (const path of [`/graphql#key=${key}`, '/graphql', '/reference']) {
      const page = await visit(`${server.url}${path}`);
      await notice(page).waitFor();
      const told = await notice(page).textContent();
      expect(told).toContain('npm run --silent open');
      expect(told?.includes('was already used')).toBe(path.includes('#'));
      if (path.startsWith('/graphql'))
        expect(await lowestOf(page)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
      if (path === '/graphql') expect(await runExample(page)).toMatch(/"code":\s"unauthorized"/);
    }
  });
});

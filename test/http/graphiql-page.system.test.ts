import type { BrowserContextOptions, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleGroups } from '../../src/http/pages/examples/example-operations.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../support/browser/browser.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const titles = exampleGroups(new Date()).flatMap(({ examples }) => examples.map(({ title }) => title));

describe.skipIf(!chromiumPath)('GraphiQL in a browser (left out where no Chromium is; CHROMIUM may name one)', () => {
  let server: Listening;
  const browser = openBrowser();
  beforeAll(async () => {
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
  });

  /** A first visit; records its requests, and errors other than refusals of the gateway. */
  async function visit(options: BrowserContextOptions = {}) {
    const page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 }, ...options })).newPage();
    page.setDefaultTimeout(60_000);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(server.url)) wrong.push(url);
    });
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) wrong.push(message.text());
    });
    await page.goto(`${server.url}/graphql`);
    await page.getByRole('tab').first().waitFor();
    return { page, wrong };
  }

  const ways: [string, BrowserContextOptions, (button: Locator) => Promise<void>][] = [
    ['a click of the mouse', {}, (button) => button.click()],
    ['a tap', { hasTouch: true }, (button) => button.tap()],
    ['the keyboard', {}, (button) => button.press('Enter')],
  ];
  test.each(ways)('opens each example by %s, the first time', async (_way, options, open) => {
    const { page, wrong } = await visit(options);
    for (const title of titles) {
      await open(page.locator(`[data-example="${title}"]`));
      const tab = page.getByRole('tab', { selected: true });
      await expect.poll(() => tab.textContent(), { message: title }).toContain(title);
    }
    expect(await page.getByRole('tab').count()).toBe(titles.length + 1);
    expect(wrong).toEqual([]);
  });

  test.each([1_440, 390])('leads to the examples of a purpose, of which one is run, %i px wide', async (width) => {
    const { page, wrong } = await visit({ viewport: { width, height: 700 } });
    if (width === 390) await page.getByRole('button', { name: 'Examples', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Charts', exact: true }).press('Enter');
    const topOf = async (locator: Locator) => (await locator.boundingBox())?.y ?? Number.NaN;
    expect(await topOf(page.locator('#bar'))).toBe(0);
    expect(await topOf(page.getByRole('heading', { name: 'Charts' }))).toBeLessThan(350);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toContain('LeadsPerWeek');
    // On a phone the panel has closed.
    if (width !== 390) {
      await page.keyboard.press('Control+Enter');
      await expect.poll(() => page.locator('.graphiql-response').textContent()).toMatch(/bearer\s+token/);
      expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset.example)).toBe('LeadsPerWeek');
    }
    expect(wrong).toEqual([]);
  });

  test('leads the keyboard to the editor by one link, seen when it is reached', async () => {
    const { page, wrong } = await visit();
    const editor = page.locator('.graphiql-query-editor textarea').first();
    await editor.waitFor({ state: 'attached' });
    await page.keyboard.press('Tab');
    const link = page.getByRole('link', { name: 'Skip to the editor' });
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await link.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(wrong).toEqual([]);
  });

  test('shows where the keyboard is, on the edge of the panel too', async () => {
    const { page, wrong } = await visit();
    const edge = page.getByRole('separator', { name: 'Width of the panel' });
    await page.keyboard.press('Tab');
    await edge.focus();
    expect(await edge.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    expect(wrong).toEqual([]);
  });

  test.each([1_280, 1_440])('leaves the editor 480 px beside a panel, in a window of %i px', async (width) => {
    const { page } = await visit({ viewport: { width, height: 800 } });
    await page.getByRole('button', { name: 'Examples', exact: true, expanded: true }).waitFor();
    const widthOf = (part: string) => page.locator(part).evaluate((element) => element.getBoundingClientRect().width);
    await page.locator('.graphiql-editors').waitFor();
    expect(await widthOf('.graphiql-editors')).toBeGreaterThanOrEqual(480);
    expect(await widthOf('.graphiql-response')).toBeGreaterThanOrEqual(340);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  test('without a token says how to get one, and takes it', async () => {
    const { page, wrong } = await visit();
    const notice = page.locator('#notice');
    await notice.getByText('npm run --silent token').waitFor();
    await page.getByRole('button', { name: /documentation explorer/i }).click();
    await page.getByText('No GraphQL schema available').waitFor();
    expect(await page.getByText('Error fetching schema').count()).toBe(0);

    await page.getByLabel('Token').fill('nonsense');
    await page.getByRole('button', { name: 'Use this token' }).click();
    await notice.getByText('The gateway rejects this token. The bearer token is not valid').waitFor();

    const { owner } = await makeWorkspace(gateway);
    await page.getByLabel('Token').fill(await gateway.bearer(owner));
    await page.getByRole('button', { name: 'Use this token' }).press('Enter');
    await page.getByText('A GraphQL schema provides a root type').or(page.getByText('Root Types')).first().waitFor();
    expect(await notice.isVisible()).toBe(false);
    expect(wrong).toEqual([]);
  });
});

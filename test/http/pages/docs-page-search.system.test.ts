import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../../support/browser/browser.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';

describe.skipIf(!chromiumPath)('the search of the documentation (left out where no Chromium is)', () => {
  let gateway: Gateway;
  let server: Listening;
  const browser = openBrowser();
  beforeAll(async () => {
    gateway = await openGateway();
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
    await gateway?.close();
  });

  async function open(): Promise<Page> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    page.setDefaultTimeout(60_000);
    return page;
  }

  test('Enter opens what was asked for, not what is there once the texts have come', async () => {
    const page = await open();
    let texts = Promise.withResolvers<void>();
    let fails = true;
    await page.route('**/search.json', async (route) => {
      await texts.promise;
      await (fails ? route.fulfill({ status: 503, json: { code: 'unavailable' } }) : route.continue());
    });
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(`${server.url}/docs/`);
    const { keyboard } = page;
    await keyboard.press('/');
    await keyboard.type('stale reads');
    await keyboard.press('Enter');
    texts.resolve();
    await expect.poll(() => page.locator('#count').textContent()).toBe('The texts could not be loaded');

    // The failure is forgotten at the next need.
    fails = false;
    await keyboard.press('Space');
    await page.locator('#found a').first().waitFor();

    for (const after of [['Escape'], ['x', 'Backspace', 'Backspace']]) {
      texts = Promise.withResolvers<void>();
      await page.goto(`${server.url}/docs/`);
      const arrived = page.waitForResponse((response) => response.url().endsWith('/search.json'));
      await keyboard.press('/');
      await keyboard.type('stale reads');
      await keyboard.press('Enter');
      for (const key of after) await keyboard.press(key);
      texts.resolve();
      await (await arrived).finished();
      if (after.includes('Escape')) expect(await page.locator('#results').isHidden()).toBe(true);
      await keyboard.press('Space');
      await page.locator('#found a').first().waitFor();
      expect(page.url()).toBe(`${server.url}/docs`);
    }

    // A second Enter leads nowhere else: one step back is where it was pressed.
    await page.getByRole('searchbox').fill('stale reads');
    await page.evaluate(() => {
      const enter = () => new KeyboardEvent('keydown', { key: 'Enter', bubbles: true });
      for (const event of [enter(), enter()]) document.activeElement?.dispatchEvent(event);
    });
    await page.waitForURL(`${server.url}/docs/graphql#stale-reads`);
    await page.goBack();
    expect(page.url()).toBe(`${server.url}/docs`);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['closing (pln_7): is not a valid cursor. Pass the cursor of an edge, or endCursor, unchanged.', 'invalid_request'],
    ["The bearer token is not valid: send a complete access token issued for this service, or an app's secret.", ''],
    ['Cannot query field "nam" on type "Agent". Did you mean "name"?', 'a-query-is-refused'],
    ['Unknown argument "limit" on field "Query.agents". Did you mean "first" or "last"?', 'a-query-is-refused'],
    ['Argument "Query.agent(id:)" of type "ID!" is required, but it was not provided.', 'a-query-is-refused'],
    ['Syntax Error: Expected Name, found <EOF>.', 'a-query-is-refused'],
  ])('an error message is found in the troubleshooting, whatever it names: %s', async (message, anchor) => {
    const page = await open();
    await page.goto(`${server.url}/docs/`);
    await page.getByRole('searchbox').fill(message);
    const first = page.locator('#found a').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toMatch(new RegExp(`/troubleshooting#${anchor}`));
    await page.context().close();
  });

  test('a search marks words from their beginning, and finds what has changed after what is', async () => {
    const page = await open();
    await page.goto(`${server.url}/docs/`);
    await page.getByRole('searchbox').fill('on token');
    const found = page.locator('#found a');
    await found.first().waitFor();
    const places = await found.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const isPast = places.map((place) => place.includes('/changelog#'));
    expect(isPast).toEqual(isPast.toSorted());
    expect(isPast[0]).toBe(false);
    const before = await page
      .locator('#found mark')
      .evaluateAll((all) => all.map((mark) => mark.previousSibling?.textContent?.at(-1) ?? ''));
    expect(before.length).toBeGreaterThan(5);
    expect(before.filter((letter) => /[\p{L}\p{N}]/u.test(letter))).toEqual([]);
    await page.context().close();
  });
});

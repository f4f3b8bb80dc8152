import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../support/browser/browser.ts';
import { editorTexts, type GraphiQL, linkTo, openGraphiQL } from '../../support/browser/graphiql.ts';
import { violationsOf } from '../../support/browser/widget-pages.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

describe.skipIf(!chromiumPath)('the tabs of GraphiQL (left out where no Chromium is)', () => {
  const gateway = useGateway();
  let graphiql: GraphiQL;
  beforeAll(async () => {
    graphiql = await openGraphiQL(gateway);
  });
  afterAll(() => graphiql?.close());

  test('are one stop of the Tab key, moved among by arrows and closed by Delete', async () => {
    const home = await makeWorkspace(gateway);
    const bearer = await gateway.bearer(home.owner);
    const { page, wrong } = await graphiql.visit(bearer, {}, linkTo('query Linked { viewer { role } }'));
    const tabs = page.getByRole('tablist').getByRole('tab');
    for (const count of [3, 4]) {
      await page.getByRole('button', { name: 'New tab' }).click();
      await expect.poll(() => tabs.count()).toBe(count);
    }
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const selected = () => page.getByRole('tab', { selected: true }).textContent();
    await tabs.last().focus();
    await page.keyboard.press('Home');
    await expect.poll(selected).toBe('Linked');
    expect(await focused()).toBe('Linked');
    await expect.poll(async () => (await editorTexts(page)).query).toContain('query Linked');
    await page.keyboard.press('ArrowRight');
    await expect.poll(selected).not.toBe('Linked');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(selected).toBe('Linked');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => tabs.last().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('New tab');
    await page.keyboard.press('Shift+Tab');
    expect(await tabs.last().evaluate((tab) => tab === document.activeElement)).toBe(true);
    await expect.poll(() => violationsOf(page), { timeout: 20_000, interval: 500 }).toEqual([]);
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    await expect.poll(() => tabs.count()).toBe(3);
    expect(await tabs.allTextContents()).not.toContain('Linked');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-selected'))).toBe('true');
    // The pointer closes one by its button.
    await page.locator('.graphiql-tab-close').last().click();
    await expect.poll(() => tabs.count()).toBe(2);
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});

import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from '../../support/browser/browser.ts';
import { usePages } from '../../support/browser/pages.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

describe.skipIf(!chromiumPath)('the search of the documentation (left out where no Chromium is)', () => {
  const pages = usePages();

  test.each<[string, BrowserContextOptions]>([
    ['in a window', {}],
    ['on a phone, in the dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ])('finds fields by their descriptions, after those by their names, %s', async (_where, options) => {
    const { owner } = await makeWorkspace(pages.gateway);
    const page = await pages.open('/graphql', owner, options);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    await page.getByRole('button', { name: /documentation explorer/i }).press('Enter');
    await page.getByText('Root Types').waitFor();
    const field = page.locator('[data-cy="doc-explorer-input"]');
    const option = page.locator('[data-cy="doc-explorer-option"]');
    await field.focus();

    await page.keyboard.type('satisfaction');
    await expect.poll(() => option.first().textContent()).toMatch(/satisfaction/i);
    const isByName = (await option.allTextContents()).map((text) => /satisfaction/i.test(text));
    expect(isByName).toEqual(isByName.toSorted((a, b) => Number(b) - Number(a)));

    await field.fill('');
    await page.keyboard.type('percentile');
    const found = option.filter({ hasText: /^LeadGroup\.p95$/ });
    await found.waitFor();
    expect(await found.getAttribute('data-found')).toMatch(/^95th percentiles: /);
    expect(await option.count()).toBeGreaterThan(10);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(page.viewportSize()?.width);
    const { x, width } = (await option.first().boundingBox()) as { x: number; width: number };
    expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    await page.keyboard.press('ArrowDown');
    const active = page.locator('[data-cy="doc-explorer-option"][data-headlessui-state~="active"]');
    await expect.poll(() => active.textContent()).toMatch(/^\w+\.p95$/);
    await page.keyboard.press('Enter');
    await page.locator('.graphiql-doc-explorer-title').getByText('p95', { exact: true }).waitFor();
    await page.getByText('95% of the existing values do not exceed them').waitFor();
    expect(wrong).toEqual([]);
    await page.context().close();
  });
});

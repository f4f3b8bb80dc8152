import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { launcher, log, openWidgetPages } from '../support/browser/widget-pages.ts';

describe.skipIf(!chromiumPath)('a widget is a guest of its page (left out where no Chromium is)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  beforeAll(async () => {
    world = await openWidgetPages();
  });
  afterAll(() => world?.close());
  const make = (welcome = 'Hello.') => world.make({ agent: { name: 'Ana', welcome } });

  test('that stays when the body is replaced, without the copy that a cache made', async () => {
    const { page } = await world.open([await make()]);
    await launcher(page, 'Ana').click();
    await page.getByRole('textbox').fill('A draft');
    for (let visit = 0; visit < 3; visit++) {
      await page.evaluate(() => {
        const body = document.createElement('body');
        body.innerHTML = '<p>Next page</p>';
        const copy = document.querySelector('[data-parley]')?.cloneNode(true);
        if (copy) body.append(copy);
        document.documentElement.replaceChild(body, document.body);
      });
      await page.getByRole('dialog', { name: 'Ana' }).waitFor();
    }
    expect(await page.getByRole('textbox').inputValue()).toBe('A draft');
    await page.evaluate(() => document.body.replaceChildren());
    await page.getByRole('dialog', { name: 'Ana' }).waitFor();
    expect(await page.locator('[data-parley]').count()).toBe(1);
  });

  test('and keeps its look and its direction on a page from right to left with rules for all elements', async () => {
    const { page } = await world.open([await make('שלום, במה אפשר לעזור?')]);
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('* { letter-spacing: 9px; text-transform: uppercase; text-align: center }');
      document.adoptedStyleSheets.push(sheet);
      document.documentElement.dir = 'rtl';
    });
    await launcher(page, 'Ana').click();
    const box = await launcher(page, 'Ana').or(page.locator('.launcher')).first().boundingBox();
    expect(box?.x ?? 0).toBeGreaterThan((page.viewportSize()?.width ?? 0) / 2);
    const style = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { letterSpacing, textTransform, direction } = getComputedStyle(element);
          return { letterSpacing, textTransform, direction };
        });
    const plain = { letterSpacing: 'normal', textTransform: 'none' };
    expect(await style('.panel')).toEqual({ ...plain, direction: 'ltr' });
    // What is written has the direction of its own language.
    expect(await style('.text')).toEqual({ ...plain, direction: 'rtl' });
    expect(await page.getByRole('textbox').getAttribute('dir')).toBe('auto');
  });

  test('and is closed by Escape on its button', async () => {
    const { page } = await world.open([await make()]);
    await launcher(page, 'Ana').click();
    await page.getByRole('dialog', { name: 'Ana' }).waitFor();
    await page.locator('.launcher').focus();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Ana' }).waitFor({ state: 'detached' });
  });

  test('and shows tables, lists in lists, and code that the keyboard scrolls', async () => {
    const welcome =
      'Fares:\n\n| Ticket | Euros |\n|---|--:|\n| Dog \\| cat | **3** |\n| <img src=x onerror=alert(1)> |\n\n' +
      '- North\n  - daily\n  - Sunday\n- South\n\n3. Pay\n4. Board\n\n```\nlong line\n```\n\na | b is no table';
    const { page } = await world.open([await make(welcome)]);
    await launcher(page, 'Ana').click();
    const text = log(page).locator('.text').first();
    expect(await text.locator('th').allTextContents()).toEqual(['Ticket', 'Euros']);
    expect(await text.locator('td').allTextContents()).toEqual(['Dog | cat', '3', '<img src=x onerror=alert(1)>', '']);
    expect(await text.locator('ul > li > ul > li').allTextContents()).toEqual(['daily', 'Sunday']);
    expect(await text.locator(':scope > ul > li').count()).toBe(2);
    expect(await text.locator('ol').getAttribute('start')).toBe('3');
    expect(await text.locator('pre').getAttribute('tabindex')).toBe('0');
    expect(await text.locator('table').count()).toBe(1);
  });
});

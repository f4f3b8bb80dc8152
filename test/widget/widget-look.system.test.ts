import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import type { Widget } from '../support/browser/widget.ts';
import { launcher, log, openWidgetPages, violationsOf } from '../support/browser/widget-pages.ts';

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe.skipIf(!chromiumPath)('the look (left out where no Chromium is; CHROMIUM may name one)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  let widget: Widget;
  beforeAll(async () => {
    world = await openWidgetPages();
    widget = await world.make({ agent: { name: 'Ana', color: '#0f766e', welcome: 'Olá!' } });
  });
  afterAll(() => world?.close());

  async function ask(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
    await log(page).getByText(`Answer to ${text}.`).waitFor();
    await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
  }
  const surface = (page: Page) => page.locator('.panel').evaluate((panel) => getComputedStyle(panel).backgroundColor);
  const dark = 'rgb(21, 24, 30)';
  const light = 'rgb(255, 255, 255)';

  test.each([
    ['light', 1440, desktop],
    ['dark', 1440, desktop],
    ['light', 390, phone],
    ['dark', 390, phone],
  ] as const)('is without faults for axe: %s, %i px', async (colorScheme, _, context) => {
    const { page, said } = await world.open([widget], { context: { ...context, colorScheme } });
    await launcher(page, 'Ana').click();
    await ask(page, 'Um');
    expect(await surface(page)).toBe(colorScheme === 'dark' ? dark : light);
    expect(await violationsOf(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  test('follows the setting of the page, also when it changes', async () => {
    const attributes = 'data-theme="dark"';
    const { page } = await world.open([widget], { attributes, context: { ...desktop, colorScheme: 'light' } });
    await launcher(page, 'Ana').click();
    expect(await surface(page)).toBe(dark);
    const setTheme = (theme: string) =>
      page.evaluate((theme) => document.querySelector('script')?.setAttribute('data-theme', theme), theme);
    await setTheme('light');
    await expect.poll(() => surface(page)).toBe(light);
    await setTheme('auto');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => surface(page)).toBe(dark);
  });

  test('on a phone fills the screen, keeps the keyboard shut and the focus inside, and holds the page still', async () => {
    const { page } = await world.open([widget], { context: phone });
    await launcher(page, 'Ana').tap();
    const dialog = page.getByRole('dialog', { name: 'Ana' });
    expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
    expect(await page.locator('.launcher').isVisible()).toBe(false);
    const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName);
    expect(await focused()).toBe('SECTION');
    const overflow = () => page.evaluate(() => document.documentElement.style.overflow);
    await expect.poll(overflow).toBe('hidden');
    for (let times = 0; times < 12; times++) await page.keyboard.press('Tab');
    expect(await focused()).toBeDefined();
    // An on-screen keyboard leaves less of the screen.
    await page.setViewportSize({ width: 390, height: 500 });
    await expect.poll(async () => (await dialog.boundingBox())?.height).toBe(500);
    await page.getByRole('button', { name: 'Fechar a conversa' }).tap();
    await expect.poll(overflow).toBe('');
    await launcher(page, 'Ana').tap();
    await page.reload();
    await launcher(page, 'Ana').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('shows the time of each message, and where a day begins, in the language of the page', async () => {
    // Where it is about noon, so that no day ends meanwhile; the signs of these names are reversed.
    const offset = 12 - new Date().getUTCHours();
    const zone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
    const { page } = await world.open([widget], {
      lang: 'pt-BR',
      context: { ...desktop, timezoneId: zone },
    });
    await launcher(page, 'Ana').click();
    await ask(page, 'Ontem');
    const where = { channelId: widget.channelId, messages: { some: { content: 'Ontem' } } };
    const { database } = world.gateway;
    const { id } = await database.conversation.findFirstOrThrow({ where });
    const now = new Date();
    const yesterday = new Date(now.getTime() - 86_400_000);
    const longAgo = new Date('2020-03-01T11:05:00Z');
    const [first, second] = await database.message.findMany({
      where: { conversationId: id },
      orderBy: { position: 'asc' },
    });
    await database.message.updateMany({ where: { id: first?.id ?? '' }, data: { createdAt: longAgo } });
    await database.message.updateMany({ where: { id: second?.id ?? '' }, data: { createdAt: yesterday } });
    await page.reload();
    await ask(page, 'Hoje mesmo');
    expect(await log(page).locator('.day').allTextContents()).toEqual(['1 de março de 2020', 'Ontem', 'Hoje']);
    const times = await log(page).locator('article time').allTextContents();
    expect(times).toHaveLength(4);
    expect(times[0]).toBe(`${String(11 + offset).padStart(2, '0')}:05`);
  });
});

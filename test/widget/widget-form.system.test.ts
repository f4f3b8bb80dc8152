import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { mutation } from '../support/browser/widget.ts';
import { launcher, log, openWidgetPages, violationsOf } from '../support/browser/widget-pages.ts';

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const rightToLeft = "document.addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl'; })";

describe.skipIf(!chromiumPath)('before the first message (left out where no Chromium is)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  beforeAll(async () => {
    world = await openWidgetPages();
    const input = { name: 'Plano', type: 'choice', options: ['Pro', 'Free'] };
    await world.gateway.data(world.home.editor, mutation('createField', 'field { id }'), { input });
  });
  afterAll(() => world?.close());

  async function make(settings: object) {
    const widget = await world.make({ agent: { name: 'Ana', welcome: 'Olá!' } });
    const input = { id: widget.channelId, ...settings };
    await world.gateway.data(world.home.editor, mutation('updateChannel', 'channel { id }'), { input });
    return widget;
  }
  const form = [{ field: 'name', required: true }, { field: 'email', required: true }, { field: 'Plano' }];

  test.each([
    ['light', {}, undefined],
    ['dark, 390 px', { ...phone, colorScheme: 'dark' as const }, undefined],
    ['right to left', {}, rightToLeft],
  ])('the form is filled in by keyboard, and its answers are the lead: %s', async (_, context, first) => {
    const widget = await make({ form });
    const { page, said } = await world.open([widget], { context, ...(first && { first }) });
    await launcher(page, 'Ana').click();
    await page.evaluate(() => {
      Object.assign(globalThis, { leads: [] });
      document.addEventListener('parley:lead', (event) =>
        (globalThis as never as { leads: object[] }).leads.push((event as CustomEvent).detail),
      );
    });
    const name = page.getByLabel('Nome');
    if (!('isMobile' in context)) await expect.poll(() => name.evaluate((one) => one.matches(':focus'))).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await name.fill('Ana Lima');
    await page.getByLabel('E-mail').fill('nobody');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('textbox', { name: 'Mensagem' }).count()).toBe(0);
    // The browser takes this one for an address, the gateway does not.
    await page.getByLabel('E-mail').fill('ana@x');
    await page.keyboard.press('Enter');
    await page.getByText('Por favor, verifique: E-mail').waitFor();
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByLabel('Plano').selectOption('Pro');
    await page.getByRole('button', { name: 'Começar a conversa' }).click();
    const field = page.getByRole('textbox', { name: 'Mensagem' });
    await field.fill('Um');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to Um.').waitFor();
    await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
    const where = { channelId: widget.channelId };
    const { lead } = await world.gateway.database.conversation.findFirstOrThrow({ where, include: { lead: true } });
    expect(lead).toMatchObject({ name: 'Ana Lima', email: 'ana@example.com', custom: { Plano: 'Pro' } });
    expect(await page.evaluate(() => (globalThis as never as { leads: object[] }).leads)).toEqual([
      { channel: widget.token },
    ]);
    await page.reload();
    if ('isMobile' in context) await launcher(page, 'Ana').click();
    await field.waitFor();
    expect(said.filter((line) => !line.includes('400'))).toEqual([]);
  });

  test.each([
    ['light', {}],
    ['dark, 390 px', { ...phone, colorScheme: 'dark' as const }],
  ])('a greeting is shown once, and begins the conversation of who replies: %s', async (_, context) => {
    const widget = await make({ greetings: [{ text: 'Posso ajudar?', seconds: 0, path: '/*' }] });
    const { page } = await world.open([widget], { context });
    const teaser = page.getByRole('button', { name: 'Posso ajudar?' });
    await teaser.waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await teaser.click();
    await log(page).getByText('Posso ajudar?').waitFor();
    expect(await teaser.count()).toBe(0);
    await page.getByRole('textbox').fill('Sim');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to Sim.').waitFor();
    await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
    await page.reload();
    if ('isMobile' in context) await launcher(page, 'Ana').click();
    expect(await log(page).getByText('Posso ajudar?').count()).toBe(1);
    expect(await log(page).getByRole('article').count()).toBe(4);
  });

  test('a greeting waits for its path, also one reached without a new page, and for the pointer to leave', async () => {
    const greetings = [
      { text: 'Preços?', seconds: 0, path: '/precos' },
      { text: 'Já vai?', onExit: true, path: '/adeus' },
    ];
    const widget = await make({ greetings });
    const { page } = await world.open([widget]);
    await launcher(page, 'Ana').waitFor();
    const leave = () =>
      page.evaluate(() => document.dispatchEvent(new MouseEvent('mouseout', { clientY: -1, relatedTarget: null })));
    await leave();
    await page.waitForTimeout(1_000);
    expect(await page.locator('.said').count()).toBe(0);
    await page.evaluate(() => history.pushState(null, '', 'adeus'));
    await leave();
    await page.getByText('Já vai?').waitFor();
    await page.getByRole('button', { name: 'Dispensar a mensagem' }).click();
    await page.evaluate(() => history.pushState(null, '', 'precos'));
    await page.waitForTimeout(1_000);
    expect(await page.locator('.said').count()).toBe(0);
    await page.reload();
    await launcher(page, 'Ana').waitFor();
    await page.waitForTimeout(1_000);
    expect(await page.locator('.said').count()).toBe(0);
  });
});

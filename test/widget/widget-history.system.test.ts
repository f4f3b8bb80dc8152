import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { mutation, type Widget } from '../support/browser/widget.ts';
import { launcher, log, openWidgetPages, violationsOf } from '../support/browser/widget-pages.ts';

describe.skipIf(!chromiumPath)('a visitor (left out where no Chromium is; CHROMIUM may name one)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  let widget: Widget;
  beforeAll(async () => {
    world = await openWidgetPages();
    widget = await world.make({ agent: { name: 'Ana' } });
  });
  afterAll(() => world?.close());

  async function ask(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
    await log(page).getByText(`Answer to ${text}.`).waitFor();
    await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
  }
  const asked = (page: Page) => log(page).locator('article.user .text').allTextContents();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  test('goes back to an earlier conversation by keyboard, and continues it, also after a reload', async () => {
    const { page, said } = await world.open([widget]);
    await launcher(page, 'Ana').click();
    await ask(page, 'Um');
    await button(page, 'Nova conversa').click();
    expect(await asked(page)).toEqual([]);
    await ask(page, 'Dois');
    await button(page, 'Conversas anteriores').press('Enter');
    const items = page.getByRole('listitem');
    await items.first().waitFor();
    expect(await items.locator('.excerpt').allTextContents()).toEqual(['Answer to Dois.', 'Answer to Um.']);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to Um.').waitFor();
    await ask(page, 'Três');
    expect(await asked(page)).toEqual(['Um', 'Três']);
    await page.reload();
    await log(page).getByText('Answer to Três.').waitFor();
    expect(await asked(page)).toEqual(['Um', 'Três']);
    expect(said).toEqual([]);
  });

  test('is offered to try again when the list cannot be loaded', async () => {
    const { page } = await world.open([widget]);
    await launcher(page, 'Ana').click();
    await page.route('**/widget/conversations', (route) => route.abort());
    await button(page, 'Conversas anteriores').click();
    await page.getByText('Sem conexão.').waitFor();
    await page.unroute('**/widget/conversations');
    await button(page, 'Tentar de novo').click();
    await page.getByText('Não há conversas anteriores.').waitFor();
    await button(page, 'Voltar à conversa').click();
    await page.getByRole('textbox').waitFor();
  });

  test('who has closed the widget sees how many messages of a person are unread, until it is opened', async () => {
    const { page } = await world.open([widget]);
    await launcher(page, 'Ana').click();
    await ask(page, 'Quero uma pessoa');
    const where = { channelId: widget.channelId, messages: { some: { content: 'Quero uma pessoa' } } };
    const { id: conversationId } = await world.gateway.database.conversation.findFirstOrThrow({ where });
    const as = (name: string, input: object, answer: string) =>
      world.gateway.data(world.home.editor, mutation(name, answer), { input });
    await as('takeOverConversation', { conversationId }, 'conversation { id }');
    await page.getByRole('textbox').fill('Alguém?');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Uma pessoa está respondendo aqui.').waitFor();
    await button(page, 'Fechar a conversa').first().click();
    await as('sendAsPerson', { conversationId, content: 'Sou a Bia.' }, 'message { id }');
    await as('sendAsPerson', { conversationId, content: 'Como vai?' }, 'message { id }');
    await page.getByRole('button', { name: 'Conversar com Ana, 2 novas' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Conversar com Ana, 2 novas' }).click();
    const last = log(page).locator('article').last();
    expect(await last.locator('.under').textContent()).toMatch(/^Pessoa/);
    expect(await last.getByRole('button').count()).toBe(0);
    await page.keyboard.press('Escape');
    await launcher(page, 'Ana').waitFor();
    expect(await launcher(page, 'Ana').getAttribute('aria-label')).toBe('Conversar com Ana');
  });

  test('has no sound unless it is switched on, which is remembered', async () => {
    const { page } = await world.open([widget]);
    const tones = () => page.evaluate(() => (globalThis as unknown as { tones: number }).tones);
    await page.evaluate(() => {
      Object.assign(globalThis, { tones: 0 });
      const { start } = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function (this: OscillatorNode, ...given) {
        (globalThis as unknown as { tones: number }).tones += 1;
        return start.apply(this, given);
      };
    });
    await launcher(page, 'Ana').click();
    await ask(page, 'Um');
    expect(await tones()).toBe(0);
    const sound = button(page, 'Som para novas mensagens');
    expect(await sound.getAttribute('aria-pressed')).toBe('false');
    await sound.click();
    const before = await tones();
    await ask(page, 'Dois');
    expect(await tones()).toBeGreaterThan(before);
    await page.reload();
    await expect.poll(() => sound.getAttribute('aria-pressed')).toBe('true');
  });

  test('rates an answer, takes the rating back, and sees when it was not stored', async () => {
    const { page } = await world.open([widget]);
    await launcher(page, 'Ana').click();
    await ask(page, 'Avalie');
    const helped = button(page, 'Isto ajudou');
    const stored = async () =>
      (await world.gateway.database.message.findFirstOrThrow({ where: { content: 'Answer to Avalie.' } })).rating;
    await helped.click();
    await log(page).getByText('Obrigado!').waitFor();
    await expect.poll(stored).toBe('like');
    await helped.click();
    await expect.poll(stored).toBeNull();
    await page.route('**/widget/feedback', (route) => route.abort());
    await helped.click();
    await expect.poll(() => helped.getAttribute('aria-pressed')).toBe('false');
    expect(await stored()).toBeNull();
  });
});

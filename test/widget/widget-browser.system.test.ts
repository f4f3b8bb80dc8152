import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser, servePage } from '../support/browser/browser.ts';
import { mutation, openWidgets, type Widget } from '../support/browser/widget.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const axe = createRequire(import.meta.url).resolve('axe-core');

describe.skipIf(!chromiumPath)('in a browser (left out where no Chromium is; CHROMIUM may name one)', () => {
  let world: Awaited<ReturnType<typeof openWidgets>>;
  let server: Listening;
  const browser = openBrowser();
  let shop: Awaited<ReturnType<typeof servePage>>;
  let widget: Widget;

  beforeAll(async () => {
    world = await openWidgets();
    server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    const agent = {
      name: 'Ana',
      welcome: 'Olá! Como posso **ajudar**?',
      color: '#0f766e',
      off: 'Voltamos na segunda.',
    };
    widget = await world.make({ agent, origins: ['https://nowhere.example'] });
    shop = await servePage(`${server.url}/widget.js?channel=${widget.token}`);
    await allow(shop.origin);
  });
  afterAll(async () => {
    await browser.close();
    shop?.close();
    await server?.close(0);
    await world?.gateway.close();
  });

  const allow = (origin: string) =>
    world.gateway.data(world.home.editor, mutation('updateChannel', 'channel { id }'), {
      input: { id: widget.channelId, origins: [origin] },
    });

  /** Opens the shop in a new browser context, and records its console. */
  async function visit(origin = shop.origin): Promise<{ page: Page; said: string[] }> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    page.setDefaultTimeout(60_000);
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(origin);
    return { page, said };
  }
  const log = (page: Page) => page.getByRole('log');
  async function ask(page: Page, text: string): Promise<void> {
    // The widget sends nothing until the answer is complete, even if its text is already there.
    await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
    await page.getByRole('textbox', { name: 'Mensagem' }).fill(text);
    await page.keyboard.press('Enter');
  }

  test('a visitor chats by keyboard, sees the answer while it is written, and what it rests on', async () => {
    const { page, said } = await visit();
    await page.getByRole('button', { name: 'Conversar com Ana' }).press('Enter');
    await page.getByRole('dialog', { name: 'Ana' }).waitFor();
    expect(await log(page).locator('strong').textContent()).toBe('ajudar');

    world.scripted.held = true;
    await ask(page, 'Quando abre?');
    const call = await world.scripted.next();
    world.scripted.held = false;
    call.say('Abre em **4 de abril**, veja [o site](https://camp.example) ');
    await log(page).getByText('4 de abril').waitFor();
    expect(await log(page).getAttribute('aria-busy')).toBe('true');
    call.say('e não <img src=x onerror=alert(1)> ou [isto](javascript:alert(1)).');
    call.end({
      references: [{ sourceId: 'src_1', passageId: 'psg_1', quote: 'The camp site opens on 4 April.' }] as never,
    });

    await log(page).getByText('The camp site opens on 4 April.').waitFor();
    await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
    expect(
      await log(page)
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://camp.example/']);
    expect(await log(page).locator('img').count()).toBe(0);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

    await page.addInitScript({ path: axe });
    expect(await violations(page)).toEqual([]);

    // After a reload the widget leaves the focus to the page.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await page.getByRole('textbox').focus();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const focused = () =>
      page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('aria-label'));
    await expect.poll(focused).toBe('Conversar com Ana');
    expect(said).toEqual([]);
  });

  /** The violations that axe finds in the page with the open chat. */
  async function violations(page: Page): Promise<string[]> {
    await page.reload();
    await page.getByRole('dialog').waitFor();
    await log(page).getByText('The camp site opens').waitFor();
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
  }

  test('the conversation is there after a reload, in the middle of an answer too', async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'Conversar com Ana' }).click();
    await ask(page, 'Um');
    await log(page).getByText('Answer to Um.').waitFor();
    world.scripted.held = true;
    await ask(page, 'Dois');
    const call = await world.scripted.next();
    world.scripted.held = false;
    call.say('Ainda ');
    await log(page).getByText('Ainda').waitFor();
    await page.reload();
    await log(page).getByText('Ainda').waitFor();
    call.say('aqui.');
    call.end();
    await log(page).getByText('Ainda aqui.').waitFor();
    await page.reload();
    await log(page).getByText('Ainda aqui.').waitFor();
    expect(await log(page).locator('article.user .text').allTextContents()).toEqual(['Um', 'Dois']);
    const where = { channelId: widget.channelId, messages: { some: { content: 'Um' } } };
    const conversation = await world.gateway.database.conversation.findFirstOrThrow({ where });
    expect(conversation.messageCount).toBe(4);
  });

  test('a connection that breaks off is taken up, and nothing is asked twice', async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'Conversar com Ana' }).click();
    let broken = 0;
    await page.route('**/widget/messages', async (route) => {
      if (route.request().method() !== 'POST' || broken > 0) return route.continue();
      broken += 1;
      // The request arrives, but the response is lost.
      await route.fetch();
      return route.abort('connectionreset');
    });
    await ask(page, 'Três');
    await log(page).getByText('Answer to Três.').waitFor();
    expect(broken).toBe(1);
    expect(await world.gateway.database.message.count({ where: { content: 'Três' } })).toBe(1);
  });

  describe('a visitor of a conversation that a person has taken over', () => {
    const as = (name: string, input: object) =>
      world.gateway.data(world.home.editor, mutation(name, 'conversation { id status }'), { input });
    const notice = (page: Page) => page.getByRole('dialog').getByRole('status');
    /** A chat with one answered question, and its conversation. */
    async function chatting(question: string) {
      const { page } = await visit();
      await page.getByRole('button', { name: 'Conversar com Ana' }).click();
      await ask(page, question);
      await log(page).getByText(`Answer to ${question}.`).waitFor();
      const where = { channelId: widget.channelId, messages: { some: { content: question } } };
      const { id } = await world.gateway.database.conversation.findFirstOrThrow({ where });
      return { page, conversationId: id };
    }

    test('is told so, reads what the person says, and speaks with the agent again later', async () => {
      const { page, conversationId } = await chatting('Há alguém?');
      await as('takeOverConversation', { conversationId });
      await ask(page, 'Quero uma pessoa.');
      await notice(page).getByText('Uma pessoa está respondendo aqui.').waitFor();
      expect(await log(page).getByText('Answer to Quero uma pessoa.').count()).toBe(0);
      const said = mutation('sendAsPerson', 'message { id }');
      const input = { conversationId, content: 'Sou a **Bia**.' };
      await world.gateway.data(world.home.editor, said, { input });
      await log(page).locator('strong', { hasText: 'Bia' }).waitFor();
      await page.reload();
      await log(page).locator('strong', { hasText: 'Bia' }).waitFor();
      await notice(page).getByText('Uma pessoa está respondendo aqui.').waitFor();
      await as('handBackConversation', { conversationId });
      await ask(page, 'Obrigado.');
      await log(page).getByText('Answer to Obrigado.').waitFor();
      await expect.poll(() => notice(page).textContent()).toBe('');
      expect(await log(page).locator('article').count()).toBe(7);
    });

    test('is told so in the middle of an answer, which stops', async () => {
      const { page, conversationId } = await chatting('Demora?');
      world.scripted.held = true;
      await ask(page, 'Conte tudo.');
      const call = await world.scripted.next();
      world.scripted.held = false;
      call.say('Era uma vez ');
      await log(page).getByText('Era uma vez').waitFor();
      await as('takeOverConversation', { conversationId });
      await notice(page).getByText('Uma pessoa está respondendo aqui.').waitFor();
      await log(page).getByText('Interrompido.').waitFor();
      await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
    });
  });

  describe('a visitor of an agent that is off reads its own words for that', () => {
    const off = 'Voltamos na segunda.';

    test('as an answer, while it is paused', async () => {
      await world.gateway.data(world.home.editor, mutation('pauseAgent', 'agent { id }'), {
        input: { id: widget.agentId },
      });
      const { page } = await visit();
      await page.getByRole('button', { name: 'Conversar com Ana' }).click();
      await ask(page, 'Tem alguém aí?');
      await log(page).getByText(off).waitFor();
      expect(await log(page).locator('article.user .text').allTextContents()).toEqual(['Tem alguém aí?']);
      await world.gateway.data(world.home.editor, mutation('publishAgent', 'agent { id }'), {
        input: { id: widget.agentId },
      });
      await ask(page, 'E agora?');
      await log(page).getByText('Answer to E agora?.').waitFor();
    });

    test('as a notice, when the month is used up, and what was asked stays', async () => {
      const poor = await world.make({ agent: { name: 'Ana', off } }, await makeWorkspace(world.gateway, 0));
      const other = await servePage(`${server.url}/widget.js?channel=${poor.token}`);
      try {
        const where = { id: poor.channelId };
        await world.gateway.database.channel.updateMany({ where, data: { origins: [other.origin] } });
        const { page } = await visit(other.origin);
        await page.getByRole('button', { name: 'Conversar com Ana' }).click();
        await ask(page, 'Ainda dá?');
        await page.getByRole('status').getByText(off).waitFor();
        expect(await page.getByRole('button', { name: 'Tentar de novo' }).count()).toBe(0);
        await page.reload();
        await log(page).getByText('Ainda dá?').waitFor();
      } finally {
        other.close();
      }
    });
  });

  test('a page of another origin is refused, and its console says why', async () => {
    await allow('https://shop.example');
    const { page, said } = await visit();
    await expect.poll(() => said.join('\n')).toContain(`Pages of ${shop.origin} cannot embed this widget`);
    expect(await page.locator('#parley-widget').count()).toBe(0);
    await allow(shop.origin);
  });
});

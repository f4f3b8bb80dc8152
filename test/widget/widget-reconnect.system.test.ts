import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser, servePage } from '../support/browser/browser.ts';
import { mutation, openWidgets } from '../support/browser/widget.ts';
import { openKillWorld } from '../support/faults/kill-world.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { startStreamingModel } from '../support/model/streaming-model.ts';

const log = (page: Page) => page.getByRole('log');
const asked = (page: Page) => log(page).locator('article.user .text').allTextContents();
const answered = (page: Page) => log(page).locator('article.assistant .text').allTextContents();

async function ask(page: Page, text: string): Promise<void> {
  await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
  await page.getByRole('textbox').fill(text);
  await page.keyboard.press('Enter');
}

describe.skipIf(!chromiumPath)('in a browser (left out where no Chromium is; CHROMIUM may name one)', () => {
  const browser = openBrowser();
  afterAll(() => browser.close());

  async function visit(url: string): Promise<Page> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    page.setDefaultTimeout(100_000);
    await page.goto(url);
    await page.locator('#parley-widget button').click();
    return page;
  }

  describe('of a gateway in this process', () => {
    let world: Awaited<ReturnType<typeof openWidgets>>;
    let server: Listening;
    let shop: Awaited<ReturnType<typeof servePage>>;
    beforeAll(async () => {
      world = await openWidgets();
      server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
      const widget = await world.make({ origins: ['https://nowhere.example'] });
      shop = await servePage(`${server.url}/widget.js?channel=${widget.token}`);
      const input = { id: widget.channelId, origins: [shop.origin] };
      await world.gateway.data(world.home.editor, mutation('updateChannel', 'channel { id }'), { input });
    });
    afterAll(async () => {
      shop?.close();
      await server?.close(0);
      await world?.gateway.close();
    });

    test('an answer that fails leaves every question in its place, once', async () => {
      const page = await visit(shop.origin);
      await ask(page, 'Um');
      await log(page).getByText('Answer to Um.').waitFor();
      await ask(page, 'Dois');
      await log(page).getByText('Answer to Dois.').waitFor();
      world.scripted.held = true;
      await ask(page, 'Um');
      const call = await world.scripted.next();
      world.scripted.held = false;
      call.fail();
      await page.getByRole('status').getByText('Não foi possível responder.').waitFor();
      await expect.poll(() => asked(page)).toEqual(['Um', 'Dois', 'Um']);
      await page.getByRole('button', { name: 'Tentar de novo' }).click();
      await log(page).getByText('Answer to Um.').nth(1).waitFor();
      expect(await asked(page)).toEqual(['Um', 'Dois', 'Um']);
    });

    test('a question that never arrived stays where it was asked when a later one is answered', async () => {
      const page = await visit(shop.origin);
      await ask(page, 'Três');
      await log(page).getByText('Answer to Três.').waitFor();
      await page.route('**/widget/messages', (route) =>
        route.fulfill({
          status: 400,
          json: { message: 'No.', code: 'invalid_request' },
          headers: { 'access-control-allow-origin': '*' },
        }),
      );
      await ask(page, 'Quatro');
      await page.getByRole('status').getByText('Não foi possível responder.').waitFor();
      await page.unroute('**/widget/messages');
      world.scripted.held = true;
      await ask(page, 'Cinco');
      const call = await world.scripted.next();
      world.scripted.held = false;
      call.fail();
      await page.getByRole('status').getByText('Não foi possível responder.').waitFor();
      await expect.poll(() => asked(page)).toEqual(['Três', 'Quatro', 'Cinco']);
    });

    test('a gateway that says it is unavailable is asked again, without a click', async () => {
      const page = await visit(shop.origin);
      let refused = 0;
      await page.route('**/widget/messages', async (route) => {
        if (route.request().method() !== 'POST' || refused > 0) return route.continue();
        refused += 1;
        await route.fulfill({
          status: 503,
          json: { message: 'Busy.', code: 'unavailable' },
          headers: { 'access-control-allow-origin': '*' },
        });
      });
      await ask(page, 'Seis');
      await page.getByRole('status').getByText('Reconectando…').waitFor();
      await log(page).getByText('Answer to Seis.').waitFor();
      await expect.poll(() => page.getByRole('dialog').getByRole('status').textContent()).toBe('');
      expect([refused, await asked(page)]).toEqual([1, ['Seis']]);
    });

    /** Asks while the gateway cannot be reached, until the widget gives up. Each `online` ends a pause early. */
    async function askInVain(page: Page, text: string): Promise<void> {
      await page.route('**/widget/messages', (route) => route.abort());
      await ask(page, text);
      await page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const root = document.querySelector('#parley-widget')?.shadowRoot;
            const timer = setInterval(() => {
              if (!root?.querySelector('[role=status]')?.textContent?.includes('Sem conexão')) {
                return dispatchEvent(new Event('online'));
              }
              clearInterval(timer);
              resolve();
            }, 5);
          }),
      );
      await page.unroute('**/widget/messages');
    }
    const comeOnline = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')));

    test('a question that was given up is asked again once the browser is online, in a conversation of its own', async () => {
      const page = await visit(shop.origin);
      await ask(page, 'Sete');
      await log(page).getByText('Answer to Sete.').waitFor();
      await page.getByRole('button', { name: 'Nova conversa' }).click();
      await askInVain(page, 'Oito');
      await expect.poll(() => asked(page)).toEqual(['Oito']);
      await comeOnline(page);
      await log(page).getByText('Answer to Oito.').waitFor();
      expect(await asked(page)).toEqual(['Oito']);
      await page.reload();
      await log(page).getByText('Answer to Oito.').waitFor();
      expect(await asked(page)).toEqual(['Oito']);
    });

    test('a page that is reloaded while a new conversation is answered for the first time shows it alone', async () => {
      const page = await visit(shop.origin);
      await ask(page, 'Doze');
      await log(page).getByText('Answer to Doze.').waitFor();
      await page.getByRole('button', { name: 'Nova conversa' }).click();
      world.scripted.held = true;
      await ask(page, 'Treze');
      const call = await world.scripted.next();
      world.scripted.held = false;
      call.say('So far.');
      await log(page).getByText('So far.').waitFor();
      await page.reload();
      await log(page).getByText('So far.').waitFor();
      call.end();
      await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
      expect(await asked(page)).toEqual(['Treze']);
    });

    test('the answer to it does not appear in a conversation that the visitor went to meanwhile', async () => {
      const page = await visit(shop.origin);
      await ask(page, 'Nove');
      await log(page).getByText('Answer to Nove.').waitFor();
      await page.getByRole('button', { name: 'Nova conversa' }).click();
      await askInVain(page, 'Dez');
      await page.getByRole('button', { name: 'Conversas anteriores' }).click();
      const earlier = page.getByRole('group', { name: 'Conversas anteriores' }).getByRole('button', { name: /Nove/ });
      await earlier.waitFor();
      world.scripted.held = true;
      await comeOnline(page);
      const call = await world.scripted.next();
      world.scripted.held = false;
      await earlier.click();
      await log(page).getByText('Answer to Nove.').waitFor();
      expect(await log(page).getAttribute('aria-busy')).toBe('false');
      call.say('Late.');
      call.end();
      await ask(page, 'Onze');
      await log(page).getByText('Answer to Onze.').waitFor();
      expect(await asked(page)).toEqual(['Nove', 'Onze']);
      expect(await log(page).getByText('Late.').count()).toBe(0);
      // It was answered all the same, where it was asked.
      await page.getByRole('button', { name: 'Conversas anteriores' }).click();
      await page.getByRole('group', { name: 'Conversas anteriores' }).getByRole('button', { name: /Late/ }).click();
      await log(page).getByText('Late.').waitFor();
      expect(await asked(page)).toEqual(['Dez']);
    });
  });

  test('a visitor whose gateway is killed twice in one answer notices a pause and nothing else', async () => {
    const model = await startStreamingModel();
    const world = await openKillWorld({ ...model.env, PORT: String(await freePort()) });
    try {
      let gateway = await world.start();
      const page = await visit(`${gateway.url}/demo/widget`);
      const status = page.getByRole('dialog').getByRole('status').last();
      await ask(page, 'How long may I return boots?');
      for (const half of ['Within', 'Within 45']) {
        (await model.next()).say(half);
        await log(page).getByText(half).waitFor();
        await gateway.kill('SIGKILL');
        await status.getByText('Reconnecting…').waitFor();
        // The text so far stays visible.
        expect(await log(page).getByText(half).count()).toBe(1);
        gateway = await world.start();
      }
      const call = await model.next();
      call.say('Within 45 days.').end();
      await log(page).getByText('Within 45 days.').waitFor();
      await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
      expect(await status.textContent()).toBe('');
      await page.reload();
      await log(page).getByText('Within 45 days.').waitFor();
      expect(await asked(page)).toEqual(['How long may I return boots?']);
      expect((await answered(page)).slice(-1)).toEqual(['Within 45 days.']);
      await gateway.kill('SIGKILL');
    } finally {
      await world.close();
      await model.close();
    }
    // Three gateway starts, on a machine that may be busy.
  }, 480_000);
});

import { SignJWT } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { mutation, type Widget } from '../support/browser/widget.ts';
import { launcher, log, openWidgetPages, violationsOf } from '../support/browser/widget-pages.ts';

/** What docs/widget.md tells pages to define before the widget's script. */
const queue = 'window.Parley ||= function () { (Parley.q ||= []).push(arguments) };';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe.skipIf(!chromiumPath)('the calls of a page (left out where no Chromium is; CHROMIUM may name one)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  let ana: Widget;
  beforeAll(async () => {
    world = await openWidgetPages();
    ana = await world.make({ agent: { name: 'Ana', welcome: 'Olá!' } });
  });
  afterAll(() => world?.close());

  const panel = (page: Page, name = 'Ana') => page.getByRole('dialog', { name });
  const call = (page: Page, ...given: unknown[]) =>
    page.evaluate((given) => (globalThis as never as { Parley(...given: unknown[]): void }).Parley(...given), given);
  const listen = (names: string[]) => `window.received = [];
    for (const name of ${JSON.stringify(names)}) Parley('on', name, (detail) => received.push([name, detail]));`;
  const received = (page: Page) =>
    page.evaluate(() => (globalThis as never as { received: [string, Record<string, unknown>][] }).received);

  test('are made in their order once the widget is there, if the page makes them earlier', async () => {
    const first = `${queue} Parley('prefill', 'Where is my parcel?'); Parley('open'); ${listen(['open'])}`;
    const { page, said } = await world.open([ana], { first });
    await panel(page).waitFor();
    expect(await page.getByRole('textbox').inputValue()).toBe('Where is my parcel?');
    expect(await received(page)).toEqual([['open', { channel: ana.token }]]);
    expect(await violationsOf(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  test.each([
    ['desktop', {}],
    ['390 px', phone],
    ['dark', { colorScheme: 'dark' as const }],
  ])('open, close and toggle the panel: %s', async (_, context) => {
    const { page } = await world.open([ana], { context });
    await launcher(page, 'Ana').waitFor();
    await call(page, 'open');
    await panel(page).waitFor();
    await call(page, 'open');
    expect(await panel(page).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await call(page, 'close');
    await expect.poll(() => panel(page).count()).toBe(0);
    await call(page, 'toggle');
    await panel(page).waitFor();
    await call(page, 'toggle');
    await expect.poll(() => panel(page).count()).toBe(0);
  });

  test('hide the launcher, and open the panel without it: the focus returns to the control of the page', async () => {
    const { page } = await world.open([ana], { first: `${queue} Parley('hide')` });
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => {
      const control = document.createElement('button');
      control.textContent = 'Ajuda';
      control.addEventListener('click', () => (globalThis as never as { Parley(name: string): void }).Parley('open'));
      document.querySelector('main')?.append(control);
    });
    expect(await page.locator('.launcher').count()).toBe(0);
    const control = page.getByRole('button', { name: 'Ajuda' });
    await control.focus();
    await page.keyboard.press('Enter');
    await panel(page).waitFor();
    expect(await page.locator('.launcher').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel(page).count()).toBe(0);
    expect(await control.evaluate((one) => one === document.activeElement)).toBe(true);
    await call(page, 'open');
    await call(page, 'hide');
    await expect.poll(() => panel(page).count()).toBe(0);
    await call(page, 'show');
    await launcher(page, 'Ana').waitFor();
  });

  test('hear of messages and replies, never of their text, until they stop to listen', async () => {
    const names = ['open', 'close', 'message', 'reply'];
    const { page } = await world.open([ana], { first: `${queue} ${listen(names)}` });
    await launcher(page, 'Ana').click();
    await page.getByRole('textbox').fill('Um segredo');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to Um segredo.').waitFor();
    await expect.poll(async () => (await received(page)).length).toBe(4);
    const id = expect.stringMatching(/^msg_/);
    expect(await received(page)).toEqual([
      ['open', { channel: ana.token }],
      ['message', { channel: ana.token, role: 'user', id: expect.any(String) }],
      ['message', { channel: ana.token, role: 'assistant', id }],
      ['reply', { channel: ana.token, id }],
    ]);
    expect(JSON.stringify(await received(page))).not.toContain('segredo');
    await page.evaluate(() => {
      const { Parley } = globalThis as never as { Parley(...given: unknown[]): void };
      let count = 0;
      const counting = () => count++;
      Parley('on', 'close', counting);
      Parley('on', 'close', counting);
      Parley('close');
      Parley('off', 'close', counting);
      Parley('open');
      Parley('close');
      Object.assign(globalThis, { count });
    });
    expect(await page.evaluate(() => (globalThis as never as { count: number }).count)).toBe(1);
  });

  test('name one of several widgets by its channel', async () => {
    const bia = await world.make({ agent: { name: 'Bia' } });
    const { page } = await world.open([ana, bia], {
      first: `${queue} Parley('prefill', 'To Bia', { channel: '${bia.token}' })`,
    });
    await launcher(page, 'Ana').waitFor();
    await launcher(page, 'Bia').waitFor();
    await call(page, 'open', { channel: bia.token });
    await panel(page, 'Bia').waitFor();
    expect(await panel(page).count()).toBe(0);
    expect(await page.getByRole('textbox').inputValue()).toBe('To Bia');
  });

  test('go on after the page has replaced its body, and its tag', async () => {
    const { page, requests } = await world.open([ana], { first: queue });
    await launcher(page, 'Ana').waitFor();
    await page.evaluate(() => {
      const { src } = document.querySelector('script') as HTMLScriptElement;
      const body = document.createElement('body');
      const tag = Object.assign(document.createElement('script'), { src });
      body.append(tag);
      document.documentElement.replaceChild(body, document.body);
    });
    await call(page, 'open');
    await panel(page).waitFor();
    expect(requests.filter((request) => request === 'POST /widget/session')).toHaveLength(1);
  });

  describe('identify', () => {
    let eva: Widget;
    let secret = '';
    beforeAll(async () => {
      eva = await world.make({ agent: { name: 'Eva' } });
      const document = mutation('rotateIdentitySecret', 'secret');
      const input = { id: eva.channelId };
      secret = (await world.gateway.data(world.home.editor, document, { input })).rotateIdentitySecret.secret;
    });
    const sign = (sub: string, key = secret) =>
      new SignJWT({ sub }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('5m').sign(Buffer.from(key));
    const sessions = (requests: string[]) => requests.filter((request) => request === 'POST /widget/session').length;
    async function ask(page: Page, text: string) {
      await page.getByRole('textbox').fill(text);
      await page.keyboard.press('Enter');
      await log(page).getByText(`Answer to ${text}.`).waitFor();
      await expect.poll(() => log(page).getAttribute('aria-busy')).toBe('false');
    }

    test('makes the visitor the user before the first request, with what they said elsewhere', async () => {
      const first = `${queue} Parley('identify', () => Promise.resolve('${await sign('u1')}')); Parley('open')`;
      const { page, requests } = await world.open([eva], { first });
      await panel(page, 'Eva').waitFor();
      await ask(page, 'Um');
      expect(sessions(requests)).toBe(1);
      const elsewhere = await world.open([eva], { first });
      await log(elsewhere.page).getByText('Answer to Um.').waitFor();
      const conversation = await world.gateway.database.conversation.findFirstOrThrow({
        where: { channelId: eva.channelId },
      });
      expect(conversation.context).toMatchObject({ user: 'u1' });
      expect(elsewhere.said).toEqual([]);
    });

    test('keeps the conversation of a visitor who signs in, and shows nothing of it once they have signed out', async () => {
      const { page, requests, said } = await world.open([eva], { first: `${queue} Parley('open')` });
      await ask(page, 'Dois');
      await page.getByRole('textbox').fill('A draft');
      await call(page, 'identify', await sign('u2'));
      await expect.poll(() => sessions(requests)).toBe(2);
      await log(page).getByText('Answer to Dois.').waitFor();
      expect(await page.getByRole('textbox').inputValue()).toBe('A draft');
      await call(page, 'identify', await sign('u2'));
      await ask(page, 'Três');
      expect(sessions(requests)).toBe(2);
      await call(page, 'identify', null);
      await expect.poll(() => log(page).getByText('Answer to Dois.').count()).toBe(0);
      await page.reload();
      await log(page).waitFor();
      expect(await log(page).getByText('Answer to').count()).toBe(0);
      expect(said.filter((line) => !line.includes('404'))).toEqual([]);
    });

    test('a visitor who signs out while they are being signed in is signed out', async () => {
      const { page, requests } = await world.open([eva], { first: `${queue} Parley('open')` });
      await ask(page, 'Seis');
      const other = Promise.withResolvers<void>();
      await page.route(
        '**/widget/session',
        async (route) => {
          await other.promise;
          await route.continue();
        },
        { times: 1 },
      );
      await call(page, 'identify', await sign('u4'));
      await expect.poll(() => sessions(requests)).toBe(2);
      await call(page, 'identify', null);
      other.resolve();
      await expect.poll(() => sessions(requests)).toBe(3);
      await expect.poll(() => log(page).getByText('Answer to').count()).toBe(0);
    });

    test('with a function that never returns is given up, so that later calls are made', async () => {
      const { page, requests, said } = await world.open([eva], { first: `${queue} Parley('open')` });
      await ask(page, 'Sete');
      await page.clock.install();
      await page.evaluate(() => {
        const { Parley } = globalThis as never as { Parley(...given: unknown[]): void };
        Parley('identify', () => new Promise(() => {}));
      });
      await call(page, 'identify', await sign('u5'));
      await page.clock.runFor(14_000);
      expect(sessions(requests)).toBe(1);
      await page.clock.runFor(2_000);
      await expect.poll(() => sessions(requests)).toBe(2);
      expect(said.join()).toMatch(/not identified: the function of the page has returned no token for 15 seconds/);
    });

    test('with a token that the site has not signed says so, and the widget works for a visitor', async () => {
      const first = `${queue} Parley('identify', '${await sign('u3', '0'.repeat(47))}'); Parley('open')`;
      const { page, said } = await world.open([eva], { first });
      await ask(page, 'Quatro');
      expect(said.join()).toMatch(/Parley: the visitor is not identified: identity: must be a JWT/);
    });
  });

  test.each([
    [['dance'], 'Parley: there is no "dance": see the documentation of the widget'],
    [['toString'], 'Parley: there is no "toString": see the documentation of the widget'],
    [['on', 'open'], 'Parley: "on" takes one of open, close, message, reply, lead, and a function'],
    [['on', 'nothing'], 'Parley: "on" takes one of open, close, message, reply, lead, and a function'],
  ])('that are mistyped say so in the console, and throw nothing: %j', async (given, message) => {
    const { page, said } = await world.open([ana]);
    await launcher(page, 'Ana').waitFor();
    await call(page, ...given);
    await expect.poll(() => said).toEqual([message]);
  });
});

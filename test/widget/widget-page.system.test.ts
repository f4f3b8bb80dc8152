import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import { launcher, log, openWidgetPages } from '../support/browser/widget-pages.ts';

describe.skipIf(!chromiumPath)('a page (left out where no Chromium is; CHROMIUM may name one)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  beforeAll(async () => {
    world = await openWidgetPages();
  });
  afterAll(() => world?.close());
  const make = (agent: object) => world.make({ agent });

  test('that shows a widget makes one request for its script, and one for its session', async () => {
    const { page, requests, said } = await world.open([await make({ name: 'Ana' })]);
    await launcher(page, 'Ana').waitFor();
    await page.waitForLoadState('networkidle');
    // The browser asks first whether it may send JSON to another origin.
    expect(requests.filter((request) => !request.startsWith('OPTIONS'))).toEqual([
      'GET /widget.js',
      'POST /widget/session',
    ]);
    expect(said).toEqual([]);
  });

  test('with several tags shows each widget once, side by side, and one panel at a time', async () => {
    const [ana, bia] = [await make({ name: 'Ana' }), await make({ name: 'Bia' })];
    const { page, requests } = await world.open([ana, bia, ana]);
    await launcher(page, 'Ana').waitFor();
    await launcher(page, 'Bia').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('button', { name: /^Conversar com/ }).count()).toBe(2);
    expect(requests.filter((request) => request === 'POST /widget/session')).toHaveLength(2);
    const boxes = [await launcher(page, 'Ana').boundingBox(), await launcher(page, 'Bia').boundingBox()];
    expect(Math.abs((boxes[0]?.x ?? 0) - (boxes[1]?.x ?? 0))).toBeGreaterThan(58);
    await launcher(page, 'Ana').click();
    await launcher(page, 'Bia').click();
    await page.getByRole('dialog', { name: 'Bia' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
  });

  test.each([
    [{ lang: 'en' }, 'Hello! How can we help you?'],
    [{ lang: 'es-MX' }, '¡Hola! ¿En qué podemos ayudarte?'],
    [{ lang: 'pt_BR', context: { locale: 'pt-BR' } }, 'Olá! Como podemos ajudar?'],
    [{ lang: 'en', attributes: 'data-language="pt"' }, 'Olá! Como podemos ajudar?'],
    [{ lang: 'fr', attributes: 'data-welcome="Bonjour !"' }, 'Bonjour !'],
  ])('of an agent without a welcome shows one in its language: %j', async (given, welcome) => {
    const { page, said } = await world.open([await make({ name: 'Ana', welcome: null })], given);
    await page.locator('.launcher').click();
    await log(page).getByText(welcome).waitFor();
    expect(said).toEqual([]);
  });

  test('receives events when the widget is opened and closed and for messages, without their text', async () => {
    const { page } = await world.open([await make({ name: 'Ana' })]);
    await page.evaluate(() => {
      const received: [string, object][] = [];
      Object.assign(globalThis, { received });
      for (const name of ['parley:open', 'parley:close', 'parley:message'])
        document.addEventListener(name, (event) => received.push([name, (event as CustomEvent).detail]));
    });
    await launcher(page, 'Ana').click();
    await page.getByRole('textbox').fill('Um segredo');
    await page.keyboard.press('Enter');
    // Its text is shown while it is streamed; the event comes with the whole message.
    await page.waitForFunction(() => (globalThis as unknown as { received: unknown[] }).received.length === 3);
    await page.keyboard.press('Escape');
    const received = await page.evaluate(() => (globalThis as unknown as { received: [string, object][] }).received);
    expect(received).toMatchObject([
      ['parley:open', { channel: expect.stringMatching(/^pub_/) }],
      ['parley:message', { role: 'user' }],
      ['parley:message', { role: 'assistant', id: expect.stringMatching(/^msg_/) }],
      ['parley:close', {}],
    ]);
    expect(JSON.stringify(received)).not.toContain('segredo');
  });
});

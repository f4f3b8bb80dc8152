import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser/browser.ts';
import type { Widget } from '../support/browser/widget.ts';
import { launcher, log, openWidgetPages, violationsOf } from '../support/browser/widget-pages.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const textFile = (name: string, text = name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

describe.skipIf(!chromiumPath)('a visitor attaches files (left out where no Chromium is)', () => {
  let world: Awaited<ReturnType<typeof openWidgetPages>>;
  let widget: Widget;
  beforeAll(async () => {
    world = await openWidgetPages({}, { readsFiles: true });
    widget = await world.make({ agent: { name: 'Ana' } });
  });
  afterAll(() => world?.close());

  async function visit() {
    const opened = await world.open([widget]);
    await launcher(opened.page, 'Ana').click();
    return opened;
  }
  const attach = (page: Page) => page.getByRole('button', { name: /^Anexar arquivos/ });
  const files = (page: Page) => page.getByRole('list', { name: 'Arquivos anexados' }).getByRole('listitem');
  const send = (page: Page) => page.getByRole('button', { name: 'Enviar', exact: true });
  async function choose(page: Page, chosen: ReturnType<typeof textFile>[]): Promise<void> {
    const opening = page.waitForEvent('filechooser');
    await attach(page).click();
    await (await opening).setFiles(chosen);
  }

  test('by the button, which states the limits, and sees them in the conversation', async () => {
    const { page, said } = await visit();
    expect(await attach(page).getAttribute('title')).toBe('Anexar arquivos. Até 5 arquivos, juntos 10 MB');
    await choose(page, [textFile('notas.txt'), { name: 'foto.png', mimeType: 'image/png', buffer: png }]);
    await expect.poll(() => files(page).count()).toBe(2);
    await expect.poll(() => send(page).isEnabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('textbox').fill('Veja');
    await page.keyboard.press('Enter');
    await log(page).getByText('Answer to Veja.').waitFor();
    for (const visit of ['sent', 'reloaded']) {
      if (visit === 'reloaded') await page.reload();
      await log(page).getByRole('img', { name: 'foto.png' }).waitFor();
      expect(await log(page).locator('article.user .chip').allTextContents()).toEqual(['notas.txt']);
    }
    const link = log(page).getByRole('link', { name: 'notas.txt' });
    const response = await page.request.get((await link.getAttribute('href')) ?? '');
    expect(await response.text()).toBe('notas.txt');
    expect(said).toEqual([]);
  });

  test('by pasting and by dropping them', async () => {
    const { page } = await visit();
    const give = (type: 'paste' | 'drop', selector: string, name: string) =>
      page.locator(selector).evaluate(
        (element, { type, name }) => {
          const data = new DataTransfer();
          data.items.add(new File([name], name, { type: 'text/plain' }));
          const common = { bubbles: true, cancelable: true, composed: true };
          if (type === 'paste')
            return element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, ...common }));
          return element.dispatchEvent(new DragEvent('drop', { dataTransfer: data, ...common }));
        },
        { type, name },
      );
    await give('paste', 'textarea', 'colado.txt');
    await expect.poll(() => files(page).count()).toBe(1);
    await page.locator('.panel').evaluate((panel) => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'x.txt'));
      panel.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page.getByText('Solte os arquivos aqui').waitFor();
    await give('drop', '.panel', 'solto.txt');
    await expect.poll(() => files(page).locator('.name').allTextContents()).toEqual(['colado.txt', 'solto.txt']);
    await page.getByRole('button', { name: 'Remover colado.txt' }).click();
    expect(await files(page).locator('.name').allTextContents()).toEqual(['solto.txt']);
    await send(page).click();
    await log(page).locator('article.user .chip', { hasText: 'solto.txt' }).waitFor();
    await expect.poll(() => files(page).count()).toBe(0);
  });

  test('and reads why one is not attached, before anything is sent', async () => {
    const { page, requests } = await visit();
    const large = { name: 'grande.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(10_000_001) };
    await choose(page, [large]);
    await files(page).getByText('Até 5 arquivos, juntos 10 MB').waitFor();
    expect(requests).not.toContain('POST /widget/attachments');
    await choose(page, [{ name: 'quebrado.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 no') }]);
    await files(page).getByText('Este arquivo não pode ser lido aqui.').waitFor();
    await page.route('**/widget/attachments*', (route) => route.abort());
    await choose(page, [textFile('perdido.txt')]);
    await files(page).getByText('Não foi possível enviar o arquivo.').waitFor();
    expect(await send(page).isEnabled()).toBe(false);
  });

  test('and one that is removed while an expired token is renewed is not sent', async () => {
    const { page, requests } = await visit();
    const allowed = { 'access-control-allow-origin': '*' };
    await page.route('**/widget/attachments*', (route) =>
      route.fulfill({ status: 401, json: { message: 'Expired.', code: 'unauthenticated' }, headers: allowed }),
    );
    const renewing = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route('**/widget/session', async (route) => {
      renewing.resolve();
      await released.promise;
      await route.continue();
    });
    await choose(page, [textFile('segredo.txt')]);
    await renewing.promise;
    const renewed = page.waitForResponse('**/widget/session');
    await page.getByRole('button', { name: 'Remover segredo.txt' }).click();
    const before = requests.filter((request) => request === 'POST /widget/attachments').length;
    released.resolve();
    await renewed;
    // A file that is attached later is sent after what waited for the token.
    await page.unroute('**/widget/attachments*');
    await choose(page, [textFile('outro.txt')]);
    await expect.poll(() => send(page).isEnabled()).toBe(true);
    expect(requests.filter((request) => request === 'POST /widget/attachments')).toHaveLength(before + 1);
  });

  test('only if the agent reads any', async () => {
    const plain = await openWidgetPages();
    try {
      const { page } = await plain.open([await plain.make({ agent: { name: 'Ana' } })]);
      await launcher(page, 'Ana').click();
      await page.getByRole('textbox').waitFor();
      expect(await attach(page).count()).toBe(0);
    } finally {
      await plain.close();
    }
  });
});

import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import { type Listening, listen } from '../../../src/http/server.ts';
import { type Gateway, useGateway } from '../gateway/app.ts';
import { openBrowser } from './browser.ts';

/** The pages of a gateway in a browser. */
export type Pages = {
  gateway: Gateway;
  url: string;
  browser: ReturnType<typeof openBrowser>;
  /** Opens a page in a context of its own, signed in as a viewer or with a bearer. */
  open(path: string, viewer: Viewer | string, options?: BrowserContextOptions): Promise<Page>;
};

/** A gateway, a server of it and a browser for the tests of a suite. */
export function usePages(env: Record<string, string> = {}): Pages {
  const gateway = useGateway(env);
  const browser = openBrowser();
  const pages = { gateway, browser, open } as Pages;
  let server: Listening | undefined;
  beforeAll(async () => {
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    pages.url = server.url;
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
  });
  return pages;

  async function open(path: string, viewer: Viewer | string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...options });
    const bearer = await gateway.bearer(viewer);
    await context.addInitScript((given) => sessionStorage.setItem('parley:token', given), bearer);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(pages.url + path);
    return page;
  }
}

/** The button with exactly this name. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const noDialog = (page: Page) => page.locator('dialog[open]').waitFor({ state: 'detached' });

/** Presses a button that closes the open dialog. While it is open, the next key would reach no button of the page. */
export async function closeWith(page: Page, name: string): Promise<void> {
  await button(page, name).press('Enter');
  await noDialog(page);
}

/** Saves the board that is edited, once no dialog is open. */
export async function saveBoard(page: Page): Promise<void> {
  await noDialog(page);
  await button(page, 'Save').press('Enter');
  await page.getByText('The board is saved.', { exact: true }).waitFor();
}

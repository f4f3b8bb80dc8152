import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { listen } from '../../../src/http/server.ts';
import { openBrowser, servePage } from './browser.ts';
import { mutation, openWidgets, type Widget } from './widget.ts';

/** `first`: a script of the page that runs before all others. */
type Given = Parameters<typeof servePage>[1] & { context?: BrowserContextOptions; first?: string };

/** A gateway with widgets, and a browser that opens pages which embed them. */
export async function openWidgetPages(...given: Parameters<typeof openWidgets>) {
  const world = await openWidgets(...given);
  const server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  const browser = openBrowser();
  const shops: { close(): void }[] = [];

  /** Opens a page with one tag for each widget, which all allow it. Records its requests, and its console. */
  async function open(widgets: Widget[], { context = {}, first, ...given }: Given = {}) {
    const [script = '', ...more] = widgets.map(({ token }) => `${server.url}/widget.js?channel=${token}`);
    const shop = await servePage(script, { ...given, more });
    shops.push(shop);
    for (const { channelId } of new Set(widgets)) {
      const input = { id: channelId, origins: [shop.origin] };
      await world.gateway.data(world.home.editor, mutation('updateChannel', 'channel { id }'), { input });
    }
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...context })).newPage();
    page.setDefaultTimeout(60_000);
    if (first) await page.addInitScript(first);
    const requests: string[] = [];
    const said: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(server.url)) requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(shop.origin);
    return { page, requests, said };
  }

  async function close(): Promise<void> {
    await browser.close();
    for (const shop of shops) shop.close();
    await server.close(0);
    await world.gateway.close();
  }
  return { ...world, open, close };
}

export const launcher = (page: Page, name: string) => page.getByRole('button', { name: `Conversar com ${name}` });
export const log = (page: Page) => page.getByRole('log');

const axePath = createRequire(import.meta.url).resolve('axe-core');

/** The violations that axe finds in a page as it is now. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axePath, 'utf8'));
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Found> } };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

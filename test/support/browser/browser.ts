import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The path in CHROMIUM, or an installed Chromium; null if there is none. */
export const chromiumPath: string | null =
  [process.env.CHROMIUM ?? '', ...places].find((path) => existsSync(path)) ?? null;

/** Chromium, which the files of this process use one after the other. Playwright ends it with the process. */
let running: Promise<Browser> | null = null;

async function launch(): Promise<Browser> {
  const forget = () => {
    running = null;
  };
  try {
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    return browser.once('disconnected', forget);
  } catch (error) {
    // The next file tries again.
    forget();
    throw error;
  }
}

/** A browser whose pages share nothing with those of others; `close` closes them. */
export function openBrowser() {
  const contexts: BrowserContext[] = [];
  return {
    async newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
      const context = await (await (running ??= launch())).newContext(options);
      contexts.push(context);
      return context;
    },
    close: () => Promise.all(contexts.map((context) => context.close())),
  };
}

type Given = { lang?: string; attributes?: string; more?: string[] };

/**
 * A page of another site, whose policy allows only the widget's gateway. `attributes`: of the tag; `more`: further
 * scripts.
 */
export async function servePage(
  script: string,
  { lang = 'pt-BR', attributes = '', more = [] }: Given = {},
): Promise<{ origin: string; close(): void }> {
  const gateway = new URL(script).origin;
  const policy = `default-src 'none'; script-src ${gateway}; connect-src ${gateway}; img-src data: ${gateway}`;
  const tags = [script, ...more].map((src) => `<script async src="${src}" ${attributes}></script>`);
  const html = `<!doctype html><html lang="${lang}"><meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Loja</title><link rel="icon" href="data:,"><main><h1>Loja</h1></main>${tags.join('\n')}</html>`;
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
      .end(html);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../prisma/seed.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../support/browser/browser.ts';
import { violationsOf } from '../support/browser/widget-pages.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { oneOfEach } from '../support/random/cases.ts';

type Visit = {
  path: string;
  /** Whether the address signs the browser in. */
  signedIn?: true;
  /** Uses the page, and waits for what it shows. */
  use: (page: Page) => Promise<unknown>;
  /** Whether the whole page is ours; the editor and the viewer are not. */
  ours?: true;
};

/** Waits until no tile of a board is loading. */
async function drawn(page: Page): Promise<void> {
  await page.getByRole('status').getByText('Live').waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  await page.waitForFunction(() => !document.body.textContent?.includes('Loading…'));
}

const visits: Record<string, Visit> = {
  'GraphiQL without a token': {
    path: '/graphql',
    use: async (page) => {
      await page.getByLabel('Token').waitFor();
      await page.getByRole('tab').first().waitFor();
    },
  },
  'GraphiQL and its panels': {
    path: '/graphql',
    signedIn: true,
    use: async (page) => {
      await page.getByRole('button', { name: /execute query/i }).click();
      await expect.poll(() => page.locator('.graphiql-response').textContent()).toContain('"data"');
      for (const name of ['Chart', 'Cost', 'REST']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('complementary').waitFor();
      }
      if (page.viewportSize()?.width !== 390) return;
      // Here a panel covers the editors, whose scroll bars would show through it.
      const isAbove = await page.evaluate(() => {
        const height = (element: Element) => Number(getComputedStyle(element).zIndex) || 0;
        const bars = [...document.querySelectorAll('.monaco-editor .scrollbar')].map(height);
        return bars.length > 0 && Math.max(...bars) < height(document.querySelector('#panels') as Element);
      });
      expect(isAbove).toBe(true);
    },
  },
  'the REST reference': {
    path: '/reference',
    signedIn: true,
    use: async (page) => {
      await page.getByRole('heading', { name: 'A token' }).waitFor();
      const links = page.getByRole('navigation', { name: 'Pages' });
      expect(await links.evaluate((nav) => nav.scrollWidth - nav.clientWidth)).toBe(0);
    },
  },
  'the list of boards': {
    path: '/dashboards',
    signedIn: true,
    ours: true,
    use: async (page) => {
      await page.getByRole('link', { name: 'Marketing' }).waitFor();
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      const tops = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top));
      expect(new Set(tops).size, 'lines of links').toBe(1);
    },
  },
  'the boards without a token': { path: '/dashboards', ours: true, use: (page) => page.getByLabel('Token').waitFor() },
  'the board marketing': { path: '/dashboards/marketing', signedIn: true, ours: true, use: (page) => drawn(page) },
  'the board support': { path: '/dashboards/support', signedIn: true, ours: true, use: (page) => drawn(page) },
  'the page with the widget': {
    path: '/demo/widget',
    ours: true,
    use: async (page) => {
      await page.getByRole('button', { name: /Gear guide/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  'the page of an invitation': {
    path: '/invitation',
    ours: true,
    use: (page) => page.getByRole('heading', { name: 'Invitation' }).waitFor(),
  },
  'the documentation': {
    path: '/docs',
    ours: true,
    use: (page) => page.getByRole('heading', { name: 'Parley' }).waitFor(),
  },
  'a page of the documentation, and what a search finds': {
    path: '/docs/graphql',
    ours: true,
    use: async (page) => {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
      await page.keyboard.press('/');
      await page.keyboard.type('read replicas');
      await page.getByRole('link', { name: /^Read replicas · Databases/ }).waitFor();
    },
  },
  'a page of the documentation with wide tables': {
    path: '/docs/permissions',
    ours: true,
    use: (page) => page.getByRole('table').first().waitFor(),
  },
};

const looks = [1_440, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

describe.skipIf(!chromiumPath)('each page (left out where no Chromium is; CHROMIUM may name one)', () => {
  let gateway: Gateway;
  let server: Listening;
  const browser = openBrowser();
  beforeAll(async () => {
    gateway = await openGateway({ DEMO: 'true' });
    await seedDemo(gateway.services);
    server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
    await gateway?.close();
  });

  /** A page, and what went wrong in it: errors, failed requests, and requests to other hosts. */
  async function open(options: BrowserContextOptions): Promise<{ page: Page; wrong: string[] }> {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
    page.setDefaultTimeout(60_000);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('requestfailed', (request) => wrong.push(`${request.url()} ${request.failure()?.errorText}`));
    page.on('response', (response) => response.status() >= 400 && wrong.push(`${response.url()} ${response.status()}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(server.url)) wrong.push(url);
    });
    return { page, wrong };
  }

  test('the documentation is read with the keyboard: a search, its first place, and code that is copied', async () => {
    const { page, wrong } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    // Enter waits for the texts of a slow gateway.
    await page.route('**/search.json', async (route) => {
      await sleep(500);
      await route.continue();
    });
    await page.goto(`${server.url}/docs/`);
    await page.keyboard.press('/');
    await page.keyboard.type('stale reads');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/docs/graphql#stale-reads`);
    const block = page.locator('.code').first();
    await block.getByRole('button', { name: 'Copy' }).press('Enter');
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe((await block.locator('pre').textContent())?.trimEnd());
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  test('a command or tag of the documentation names the gateway that serves the page', async () => {
    const { page } = await open({});
    await page.goto(`${server.url}/docs/getting-started`);
    await page.getByText(`<script async src="${server.url}/widget.js?channel=pub_…"></script>`).waitFor();
    await page.context().close();
  });

  test('an anchor that moved to another page of the documentation is followed', async () => {
    const { page } = await open({});
    await page.goto(`${server.url}/docs/tour#safe-retries`);
    await page.waitForURL(`${server.url}/docs/rest#safe-retries`);
    await page.context().close();
  });

  /** Of all pages of the documentation, in one of which the browser is. */
  async function addressesOf(page: Page): Promise<string[]> {
    const links = page.getByRole('navigation', { name: 'Documentation' }).locator('a');
    const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(addresses.length).toBeGreaterThan(30);
    return addresses;
  }

  test('no command, result or table of contents in the documentation scrolls sideways', async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${server.url}/docs`);
    const found: string[] = [];
    for (const address of await addressesOf(page)) {
      await page.goto(address, { waitUntil: 'domcontentloaded' });
      // Other systems have wider letters, and scroll bars that take some of the width.
      await page
        .locator('#contents')
        .evaluateAll(([one]) => (one as HTMLElement | undefined)?.style.setProperty('font-size', '1.1rem'));
      const wide = await page
        .locator('pre:has(code[class]), #contents')
        .evaluateAll((all) =>
          all.filter((code) => code.scrollWidth > code.clientWidth).map((code) => code.textContent),
        );
      found.push(...wide.map((code) => `${address}: ${code}`));
    }
    expect(found).toEqual([]);
    await page.context().close();
  }, 600_000);

  test('axe finds nothing in any page of the documentation', async () => {
    const { page } = await open({ viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' });
    await page.goto(`${server.url}/docs`);
    const found: string[] = [];
    for (const address of await addressesOf(page)) {
      await page.goto(address);
      for (const violation of await violationsOf(page)) found.push(`${address} ${violation}`);
    }
    expect(found).toEqual([]);
    await page.context().close();
  }, 600_000);

  const cases = Object.entries(visits).flatMap(([name, visit]) => looks.map((look) => ({ name, visit, ...look })));
  test.each(oneOfEach(cases, ({ name, width }) => `${name} ${width}`))(
    '$name: $width px wide, $colorScheme',
    async ({ visit, width, colorScheme }) => {
      const { page, wrong } = await open({ viewport: { width, height: 900 }, colorScheme });
      const key = visit.signedIn ? `#key=${await gateway.services.demoSessions?.issueKey()}` : '';
      await page.goto(`${server.url}${visit.path}${key}`);
      await visit.use(page);
      expect(wrong).toEqual([]);
      // The viewer's colours change for a moment after its theme.
      await expect.poll(() => violationsOf(page), { timeout: 20_000, interval: 500 }).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, 'scrolls sideways').toBeLessThanOrEqual(0);
      // Text is light where the page is dark.
      const color = await page.evaluate(() => getComputedStyle(document.body).color);
      const isLight = Math.max(...(color.match(/\d+/g) ?? []).slice(0, 3).map(Number)) > 127;
      if (visit.ours) expect(isLight, color).toBe(colorScheme === 'dark');
      await page.context().close();
    },
  );
});

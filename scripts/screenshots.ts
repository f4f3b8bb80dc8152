/**
 * `npm run screenshots`: takes the pictures of README.md and docs/ from a running gateway with a new demo workspace, in
 * Chromium (CHROMIUM may name it), light and dark, into docs/images.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';

type Picture = { path: string; signedIn: boolean; use: (page: Page) => Promise<void> };

const execute = async (page: Page) => {
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.graphiql-response').getByText('"data"').waitFor();
};
const pictures: Record<string, Picture> = {
  graphiql: { path: '/graphql', signedIn: true, use: execute },
  'graphiql-chart': {
    path: '/graphql',
    signedIn: true,
    use: async (page) => {
      await page.locator('[data-example=LeadsPerWeek]').click();
      await page.getByRole('tab', { selected: true }).getByText('LeadsPerWeek').waitFor();
      await execute(page);
      await page.getByRole('button', { name: 'Chart', exact: true }).click();
      await page.getByRole('img', { name: /chart/ }).waitFor();
    },
  },
  board: {
    path: '/dashboards/marketing',
    signedIn: true,
    use: async (page) => {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByText('Loading…').first().waitFor({ state: 'detached' });
      await page.getByRole('img', { name: /chart/ }).first().waitFor();
    },
  },
  reference: {
    path: '/reference',
    signedIn: true,
    use: async (page) => {
      await page.getByRole('button', { name: 'Open Group - Leads' }).click();
      await page.getByRole('link', { name: /^Create a lead/ }).click();
      await page.getByRole('region', { name: 'Create a lead' }).getByText('Open in GraphiQL').waitFor();
    },
  },
  widget: {
    path: '/demo/widget',
    signedIn: false,
    use: async (page) => {
      await page.getByRole('button', { name: /Gear guide/ }).click();
      await page.getByRole('dialog').waitFor();
      await page.getByRole('textbox').fill('Which tent is best for two people in the wind?');
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByText('“').first().waitFor();
    },
  },
};

const { env } = process;
const folder = mkdtempSync(path.join(tmpdir(), 'parley-screenshots-'));
const gateway = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/launch.ts'], {
  env: { PATH: env.PATH, HOME: env.HOME, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const stopped = new Promise((resolve) => gateway.once('exit', resolve));
try {
  const url = await addressOf();
  const executablePath = env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  for (const name of Object.keys(pictures)) {
    await take(browser, url, name, 'light');
    await take(browser, url, name, 'dark');
  }
  await browser.close();
} finally {
  gateway.kill();
  await stopped;
  rmSync(folder, { recursive: true, force: true });
}

/** The origin of the gateway, once it is ready. */
async function addressOf(): Promise<string> {
  for await (const line of createInterface({ input: gateway.stdout })) {
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The gateway did not start');
}

async function take(browser: Browser, url: string, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const { path: page, signedIn, use } = pictures[name] as Picture;
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    colorScheme,
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const tab = await context.newPage();
  await tab.goto(`${url}${page}${signedIn ? `#key=${await newKey()}` : ''}`);
  await use(tab);
  // Fonts, charts and editors settle after their content is there.
  await tab.waitForTimeout(1_500);
  const session = await context.newCDPSession(tab);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  const file = `docs/images/${name}${colorScheme === 'dark' ? '-dark' : ''}.webp`;
  writeFileSync(file, Buffer.from(data, 'base64'));
  process.stdout.write(`${file}\n`);
  await context.close();
}

/** A key that signs a browser in, once. */
async function newKey(): Promise<string> {
  const open = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/cli/open.ts'], {
    env: { PATH: env.PATH, HOME: env.HOME, DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const text = (await open.stdout.setEncoding('utf8').toArray()).join('');
  return new URL(text.trim()).hash.slice('#key='.length);
}

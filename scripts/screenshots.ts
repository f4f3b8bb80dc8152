/**
 * `npm run screenshots`: takes the pictures of README.md and docs/ from a running gateway with a new demo workspace, in
 * Chromium (CHROMIUM may name it), light and dark, into docs/images. Arguments name some of them.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';

type Picture = {
  path: string;
  signedIn: boolean;
  /** The parameters of the address. */
  open?: () => Promise<Record<string, string>>;
  use: (page: Page) => Promise<void>;
};

const execute = async (page: Page) => {
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.graphiql-response').getByText('"data"').waitFor();
};
const nested = `# Conversations with leads
query Inbox($agentId: ID!) {
  agent(id: $agentId) {
    conversations(first: 3) {
      totalCount
      nodes {
        title
        platform
        lead { name email }
      }
    }
  }
}
`;
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
  'graph-rest': {
    path: '/graphql',
    signedIn: true,
    open: async () => ({ query: nested, variables: JSON.stringify({ agentId: await agentWithLeads() }) }),
    use: async (page) => {
      await execute(page);
      await page.getByRole('button', { name: 'REST', exact: true }).click();
      await page.getByLabel('curl', { exact: true }).waitFor();
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
let url = '';
const folder = mkdtempSync(path.join(tmpdir(), 'parley-screenshots-'));
const gateway = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/launch.ts'], {
  env: { PATH: env.PATH, HOME: env.HOME, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const stopped = new Promise((resolve) => gateway.once('exit', resolve));
try {
  url = await addressOf();
  const executablePath = env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const [, , ...chosen] = process.argv;
  for (const name of chosen.length > 0 ? chosen : Object.keys(pictures)) {
    await take(browser, name, 'light');
    await take(browser, name, 'dark');
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
    const [, origin] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (origin) return origin;
  }
  throw new Error('The gateway did not start');
}

async function take(browser: Browser, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const { path: page, signedIn, open, use } = pictures[name] as Picture;
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    colorScheme,
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const tab = await context.newPage();
  const search = open ? `?${new URLSearchParams(await open())}` : '';
  await tab.goto(`${url}${page}${search}${signedIn ? `#key=${await newKey()}` : ''}`);
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
  return new URL(await printed('open')).hash.slice('#key='.length);
}

/** The agent of the demo that captures leads. */
async function agentWithLeads(): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await printed('token')}` },
    body: JSON.stringify({ query: '{ agents(first: 1, search: "Trip planner") { nodes { id } } }' }),
  });
  const { data } = (await response.json()) as { data: { agents: { nodes: [{ id: string }] } } };
  return data.agents.nodes[0].id;
}

/** What a command of the gateway prints. */
async function printed(command: 'open' | 'token'): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `src/cli/${command}.ts`], {
    env: { PATH: env.PATH, HOME: env.HOME, DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (await child.stdout.setEncoding('utf8').toArray()).join('').trim();
}

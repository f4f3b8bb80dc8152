import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillWithDemo } from '../support/gateway/demo-folder.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { type GatewayProcess, ownerToken, startGateway } from '../support/gateway/gateway-process.ts';
import { textOf } from '../support/repository/documents.ts';

const programs = readdirSync(new URL('../../examples/', import.meta.url)).filter((name) => name.endsWith('.ts'));

let gateway: GatewayProcess;
let dataDir: string;
let port: number;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'examples-'));
  await fillWithDemo(dataDir);
  port = await freePort();
  const settings = { PORT: '0', DATA_DIR: dataDir, DATABASE_URL: '', FETCH_ALLOW_HOSTS: `127.0.0.1:${port}` };
  const own = { ...process.env, ...settings, LOG_LEVEL: 'silent' };
  gateway = await startGateway(own);
  env = { ...process.env, GATEWAY: gateway.url, TOKEN: await ownerToken(own), PORT: String(port) };
}, 600_000);
afterAll(async () => {
  await gateway?.kill();
  rmSync(dataDir, { recursive: true });
});

async function run(name: string, ...given: string[]): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', `examples/${name}`, ...given];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

test('each says in its first comment how it is run, and is tried here', () => {
  expect(programs.filter((name) => !textOf(`examples/${name}`).startsWith('/**\n'))).toEqual([]);
  expect(programs.filter((name) => !textOf(`examples/${name}`).includes(`node examples/${name}`))).toEqual([]);
  const tried = textOf('test/documents/examples.system.test.ts');
  expect(programs.filter((name) => !tried.includes(`${name}'`))).toEqual([]);
});

test('the list is read to its end, each row once', async () => {
  const lines = (await run('paginated-list.ts')).trim().split('\n');
  const total = Number(/ of (\d+):/.exec(lines[0] ?? '')?.[1]);
  expect(total).toBeGreaterThan(10);
  expect(lines).toHaveLength(total);
  expect(lines.at(-1)).toMatch(new RegExp(`^${total} of ${total}: `));
});

test('the chat answers each question', async () => {
  const said = await run('streamed-chat.ts', 'What is your return policy?', 'Thank you!');
  expect(said).toMatch(/^> What is your return policy\?\n\S[^]*\n> Thank you!\n\S/);
});

test('REST and GraphQL have the same rows', async () => {
  expect(await run('rest-migration.ts')).toMatch(
    /^\d+ agents, with the same conversations over REST and GraphQL:\nagt_/,
  );
});

test('the dashboard has numbers of the demo workspace', async () => {
  const shown = await run('dashboard.ts');
  expect(shown).toMatch(/ of \d+ interactions\n\d+ conversations wait for a person\n\d+ leads in 30 days/);
  expect(shown).toContain('conversations');
});

test('the receiver is told of a new lead', async () => {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'examples/webhook-receiver.ts'],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const exited = once(child, 'exit');
  try {
    await expect.poll(() => printed).toContain('Waiting for leads');
    await fetch(`${gateway.url}/rest/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ana Souza', email: 'ana@example.com' }),
    });
    await expect.poll(() => printed).toContain('lead.created: Ana Souza <ana@example.com>');
  } finally {
    child.kill();
    await exited;
  }
});

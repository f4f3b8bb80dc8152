import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/gateway/free-port.ts';
import { isolation, runIn } from '../support/repository/container.ts';
import { buildImage, type Image } from '../support/repository/dockerfile.ts';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Another user's environment, without this checkout's programs and settings. */
const machine = {
  HOME: process.env.HOME,
  PATH: process.env.PATH?.split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(path.delimiter),
  npm_config_prefer_offline: 'true',
  npm_config_cafile: process.env.npm_config_cafile,
};

/** The same with the Node of the image's base, which is this process's own. */
const base = { ...machine, PATH: [path.dirname(process.execPath), machine.PATH].join(path.delimiter) };

/** Whether this machine can start a process without a network. */
const isNetworkCut = spawnSync('unshare', ['--net', 'true']).status === 0;

let folder: string;
let image: Image;
/** Why the packages could not be installed: neither npm's cache nor the registry has them. */
let unreachable: string | null = null;
const checkout = () => path.join(folder, 'build/checkout');
const installed = () => path.join(folder, 'installed');
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-installs-'));
  chmodSync(folder, 0o755);
  try {
    image = buildImage(readFileSync(path.join(root, 'Dockerfile'), 'utf8'), { folder, context: root, env: base });
    await run('npm', ['ci', '--omit=dev'], { cwd: checkout(), env: machine });
    await run('npm', ['run', '--silent', 'package', '--', installed()], { cwd: checkout(), env: machine });
    await run('npm', ['ci', '--omit=dev'], { cwd: installed(), env: machine });
  } catch (error) {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENOTCACHED|ETIMEDOUT/.test(String(error))) throw error;
    unreachable = 'neither the cache of npm nor its registry has the packages';
  }
}, 900_000);
beforeEach((context) => {
  if (unreachable) context.skip(unreachable);
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
// In another process, since removing so many files would block this one.
afterAll(() => run('rm', ['-rf', folder]), 600_000);

/** The address of a starting gateway. Rejects with its output if it exits first. */
async function started(child: ChildProcess): Promise<string> {
  running.push(child);
  const said: string[] = [];
  child.stderr?.on('data', (bytes: Buffer) => said.push(String(bytes)));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const address = /http:\/\/[\w.[\]:]+:(\d+)\/graphql/.exec(line);
    if (!address) continue;
    child.stdout?.resume();
    return `http://127.0.0.1:${address[1]}`;
  }
  throw new Error(`The gateway did not start. ${said.join('')}`);
}

async function npmStart(cwd: string, dataDir: string) {
  const env = { ...machine, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const child = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, env, url: await started(child) };
}

/** Sends requests that need each generated part: the Prisma client, the REST documents, the page scripts. */
async function expectServing(url: string, token: string): Promise<void> {
  const ask = (where: string, init: RequestInit = {}) =>
    fetch(url + where, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
  expect((await ask('/health')).status).toBe(200);
  const body = JSON.stringify({ query: '{ agents(first: 1) { totalCount } }' });
  expect(await (await ask('/graphql', { method: 'POST', body })).json()).toEqual({
    data: { agents: { totalCount: expect.any(Number) } },
  });
  expect((await ask('/rest/agents?page=1&size=1')).status).toBe(200);
  for (const file of [
    '/graphiql/graphiql.js',
    '/graphiql/graphiql.css',
    '/reference',
    '/docs/tour',
    '/docs/bench-results',
    '/widget.js',
  ]) {
    expect([file, (await ask(file)).status]).toEqual([file, 200]);
  }
}

async function expectEnd(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

describe.each([
  ['a checkout', checkout],
  ['a package', installed],
])('%s after npm ci --omit=dev', (_, place) => {
  test('has the compiled code that its first start needs', () => {
    const compiled = readdirSync(path.join(place(), 'node_modules/.cache/node'), { recursive: true });
    expect(compiled.length).toBeGreaterThan(50);
  });

  test('starts by npm start, answers on both surfaces, serves its pages, and ends on SIGTERM', async () => {
    const { child, env, url } = await npmStart(place(), path.join(folder, `data-${path.basename(place())}`));
    const { stdout } = await run('npm', ['run', '--silent', 'token'], { cwd: place(), env });
    await expectServing(url, stdout.trim());
    await expectEnd(child);
  });

  test.runIf(isNetworkCut)('starts without any network', async () => {
    const env = {
      ...machine,
      HOST: '0.0.0.0',
      PORT: '0',
      DATA_DIR: path.join(folder, 'data-cut-off'),
      LOG_LEVEL: 'error',
    };
    rmSync(env.DATA_DIR, { recursive: true, force: true });
    const child = spawn('unshare', ['--net', 'npm', 'start'], { cwd: place(), env, stdio: ['ignore', 'pipe', 'pipe'] });
    await started(child);
    const { stdout } = await run('npm', ['run', '--silent', 'token'], { cwd: place(), env });
    expect(stdout.split('.')).toHaveLength(3);
    await expectEnd(child);
  });

  test('is as large as docs/dependencies.md says, to a tenth', async () => {
    const [, told] =
      /^An installation takes (\d+) MB/m.exec(readFileSync(path.join(root, 'docs/dependencies.md'), 'utf8')) ?? [];
    expect(Number(told)).toBeLessThanOrEqual(400);
    // Without the code that V8 compiled in the tests before.
    const { stdout } = await run('du', ['-sm', '--exclude=.cache', 'node_modules'], { cwd: place() });
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(Number(told) * 1.1);
  });

  test('has the databases that new data folders begin with', () => {
    expect(readdirSync(path.join(place(), 'src/database/generated/template')).sort()).toEqual([
      expect.stringMatching(/^demo-[\da-f]{16}\.tar\.gz$/),
      expect.stringMatching(/^empty-[\da-f]{16}\.tar\.gz$/),
    ]);
  });

  test('has the character maps and fonts of PDF files, with their licenses', () => {
    const data = path.join(place(), 'src/knowledge/extract/generated');
    expect(readdirSync(path.join(data, 'cmaps'))).toEqual(expect.arrayContaining(['H.bcmap', 'LICENSE']));
    expect(readdirSync(path.join(data, 'standard_fonts'))).toEqual(
      expect.arrayContaining(['FoxitFixed.pfb', 'LICENSE_FOXIT', 'LICENSE_LIBERATION']),
    );
  });

  test('has no tool that only the work on the gateway needs', () => {
    const tools = ['vitest', 'oxlint', '@graphql-codegen/cli', 'playwright-core', 'prisma', 'typescript', 'pdfjs-dist'];
    expect(
      [...tools, '@napi-rs/canvas'].filter((name) => existsSync(path.join(place(), 'node_modules', name))),
    ).toEqual([]);
  });
});

test('a checkout makes at its start what is missing', async () => {
  rmSync(path.join(checkout(), 'src/rest/generated'), { recursive: true });
  const { child } = await npmStart(checkout(), path.join(folder, 'data-checkout'));
  await expectEnd(child);
  expect(existsSync(path.join(checkout(), 'src/rest/generated/graphql.ts'))).toBe(true);
});

test('a package is written over an earlier one, and over nothing else', async () => {
  const write = (target: string) =>
    run('npm', ['run', '--silent', 'package', '--', target], { cwd: checkout(), env: machine });
  await write(path.join(folder, 'again'));
  await write(path.join(folder, 'again'));
  await expect(write(checkout())).rejects.toThrow('is no package of an earlier run');
  await expect(write(path.join(folder, 'data-checkout'))).rejects.toThrow('is no package of an earlier run');
});

const ways = {
  mounts: 'with a read-only root, in a mount namespace',
  ownership: "by ownership: root's files, run as another user",
  none: 'left out: only root can take the user of an image',
};

describe(`the image of the Dockerfile, ${ways[isolation]}`, () => {
  test('starts as its user, is healthy, writes nothing but its volume, and ends on SIGTERM', async (context) => {
    if (isolation === 'none') return context.skip(ways.none);
    const port = String(await freePort());
    const env = { PORT: port, HOST: '127.0.0.1', LOG_LEVEL: 'error' };
    const child = runIn(image, image.command, env);
    const url = await started(child);
    expect(statSync(`/proc/${child.pid}`).uid).toBe(1000);
    const [code] = await once(runIn(image, image.healthCheck, env), 'exit');
    expect(code).toBe(0);
    const token = runIn(image, ['node', 'src/cli/token.ts'], env);
    const [printed] = await once(token.stdout as NodeJS.ReadableStream, 'data');
    await expectServing(url, String(printed).trim());
    for (const place of ['/parley', '/parley/src', '/parley/node_modules', '/etc', '/']) {
      const target = isolation === 'mounts' ? place : path.join(image.root, place);
      const touch = runIn(image, ['node', '-e', `fs.writeFileSync('${path.join(target, 'written')}', '')`], env);
      expect([place, (await once(touch, 'exit'))[0]]).toEqual([place, 1]);
    }
    await expectEnd(child);
    const [sick] = await once(runIn(image, image.healthCheck, env), 'exit');
    expect(sick).toBe(1);
  });

  test('starts as any user of the group 0, and again on what it wrote, as OpenShift runs it', async (context) => {
    if (isolation === 'none') return context.skip(ways.none);
    const data = path.join(image.root, 'data');
    rmSync(data, { recursive: true, force: true });
    execFileSync('cp', ['-a', path.join(folder, 'build/data'), data]);
    const anybody = { ...image, user: '1000650000:0' };
    const env = { PORT: String(await freePort()), HOST: '127.0.0.1', LOG_LEVEL: 'error' };
    for (let starts = 0; starts < 2; starts += 1) {
      const child = runIn(anybody, image.command, env);
      const url = await started(child);
      expect(statSync(`/proc/${child.pid}`).uid).toBe(1000650000);
      const token = runIn(anybody, ['node', 'src/cli/token.ts'], env);
      const [printed] = await once(token.stdout as NodeJS.ReadableStream, 'data');
      await expectServing(url, String(printed).trim());
      await expectEnd(child);
    }
  });

  test('is small, and runs as nobody in particular', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(existsSync(path.join(image.root, 'parley/node_modules/node/bin/node'))).toBe(false);
  });

  test('has the compiled code that a start of its user needs, which that user can read, but not write', () => {
    const kept = path.join(image.root, 'parley/node_modules/.cache');
    const own = readdirSync(path.join(kept, 'node')).filter((name) => name.endsWith('-1000'));
    const compiled = own.flatMap((name) =>
      readdirSync(path.join(kept, 'node', name)).map((file) => path.join(name, file)),
    );
    expect(compiled.length).toBeGreaterThan(50);
    const modes = [...own, ...compiled].map((name) => statSync(path.join(kept, 'node', name)).mode & 0o444);
    expect(new Set(modes)).toEqual(new Set([0o444]));
    expect(readdirSync(kept)).toEqual(['node']);
  });
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { announce } from '../../src/config/banner.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/http/log/request-log.ts';

/** Packages to load on demand only: each slows the start and takes 1 to 30 MB. */
const laterPackages = [
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai-compatible',
  '@electric-sql/pglite',
  '@graphql-tools/utils',
  '@graphql-yoga/render-graphiql',
  '@mozilla/readability',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/sdk-trace',
  '@prisma/schema-engine-wasm',
  'ai',
  'graphql-yoga',
  'libphonenumber-js',
  'linkedom',
  'mammoth',
  'papaparse',
  'pg-boss',
  'read-excel-file',
  'robots-parser',
  '@scalar/fastify-api-reference',
  'undici',
  'unpdf',
];

const program = `
  import { registerHooks } from 'node:module';
  const urls = new Set();
  registerHooks({ load: (url, context, next) => (urls.add(url), next(url, context)) });
  await import('./src/start.ts');
  await import('./src/app.ts');
  const { handleOf } = await import('./src/database/client.ts');
  const { Pool } = await import('./src/database/pool.ts');
  // Needs no server, and makes Prisma load its query compiler.
  await handleOf('postgres', new Pool({ config: { max: 1 } }), 'join', async () => {}).client.$connect();
  process.stdout.write([...urls].join('\\n'), () => process.exit());
`;

test.each([
  ['true', 'npm run --silent token\n'],
  ['false', 'npm run --silent token -- --workspace wsp_…\n'],
])('with DEMO=%s a start tells a command that makes a token', async (DEMO, command) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const url = 'http://127.0.0.1:4000';
  await announce({ config: readConfig({ DEMO }), url, makeAddress: null, log: createLog('silent'), isTerminal: true });
  const told = write.mock.calls.join('');
  write.mockRestore();
  expect(told).toContain(`A token     ${command}`);
});

test('a start says where it is and how to sign in as a line of the log at any level, without the address that does', async () => {
  const written: string[] = [];
  const log = createLog('silent', { write: (line) => void written.push(line) });
  const makeAddress = () => expect.unreachable('a key was made that nobody may read');
  await announce({ config: readConfig({}), url: 'http://127.0.0.1:4000', makeAddress, log, isTerminal: false });
  expect(written.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      url: 'http://127.0.0.1:4000',
      graphiql: 'http://127.0.0.1:4000/graphql',
      reference: 'http://127.0.0.1:4000/reference',
      docs: 'http://127.0.0.1:4000/docs',
      dashboards: 'http://127.0.0.1:4000/dashboards',
      data: path.resolve('.data'),
      model: expect.stringContaining('embedded'),
      signIn: 'npm run --silent open',
      pid: process.pid,
      msg: 'Parley is ready',
    },
  ]);
});

test('where no page gives a token, the log tells the command that makes one', async () => {
  const written: string[] = [];
  const log = createLog('silent', { write: (line) => void written.push(line) });
  const url = 'http://127.0.0.1:4000';
  await announce({ config: readConfig({ DEMO: 'false' }), url, makeAddress: null, log, isTerminal: false });
  expect(JSON.parse(written[0] ?? '{}')).toMatchObject({ signIn: 'npm run --silent token -- --workspace wsp_…' });
});

const cwd = path.join(import.meta.dirname, '../..');

test('a start whose port is taken says so and ends before it has opened a database', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-start-'));
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) };
  const ended = promisify(execFile)(process.execPath, ['src/main.ts'], { cwd, env, timeout: 110_000 });
  const { code, stdout, stderr } = await ended.then(
    () => ({ code: 0, stdout: '', stderr: '' }),
    (error: { code: number | null; stdout: string; stderr: string }) => error,
  );
  taken.close();
  const made = await readdir(dataDir);
  await rm(dataDir, { recursive: true, force: true });
  expect({ code, stderr, made }).toEqual({ code: 1, stderr: '', made: [] });
  expect(JSON.parse(stdout)).toEqual({
    level: 'fatal',
    time: expect.any(String),
    reason: `PORT: ${port} is already in use on 127.0.0.1; stop what listens there or set another PORT`,
    msg: 'Parley cannot start',
  });
});

test('all that a start writes where no terminal is, is lines of JSON', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-lines-'));
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'debug', HSOT: '1' };
  const child = spawn(process.execPath, ['src/launch.ts'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const errors = text(child.stderr);
  const lines: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.msg === 'Parley is ready') child.kill('SIGTERM');
  }
  await ended;
  await rm(dataDir, { recursive: true, force: true });
  expect(lines.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining([expect.stringContaining('did you mean HOST?'), 'Parley is ready']),
  );
  expect(JSON.stringify(lines)).not.toContain('#key=');
  // Node's own warning about type stripping.
  expect((await errors).replace(/^\(node:\d+\) ExperimentalWarning.*\n\(Use .*\n/m, '')).toBe('');
}, 600_000);

test('what a start does not need is not loaded by it', async () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 10_000_000 });
  const urls = stdout.split('\n');
  const packages = new Set(urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]));
  expect([...packages]).toEqual(expect.arrayContaining(['@prisma/client', 'graphql', 'hono', 'pg', 'zod']));
  expect(laterPackages.filter((name) => packages.has(name))).toEqual([]);
  // Base64 text of 4.5 MB; the gateway reads the bytes instead.
  expect(urls.filter((url) => url.includes('wasm-base64'))).toEqual([]);
});

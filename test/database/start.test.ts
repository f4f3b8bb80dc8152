import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { announce } from '../../src/config/banner.ts';
import { readConfig } from '../../src/config/config.ts';

/** Packages to load on demand only: each slows the start and takes 1 to 30 MB. */
const laterPackages = [
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai-compatible',
  '@electric-sql/pglite',
  '@graphql-tools/utils',
  '@graphql-yoga/render-graphiql',
  '@mozilla/readability',
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
])('with DEMO=%s a start tells a command that makes a token', (DEMO, command) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  announce(readConfig({ DEMO }), 'http://127.0.0.1:4000', null);
  const told = write.mock.calls.join('');
  write.mockRestore();
  expect(told).toContain(`A token         ${command}`);
});

const cwd = path.join(import.meta.dirname, '../..');

test('a start whose port is taken says so and ends before it has opened a database', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-start-'));
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) };
  const ended = promisify(execFile)(process.execPath, ['src/main.ts'], { cwd, env, timeout: 110_000 });
  const { code, stderr } = await ended.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number | null; stderr: string }) => error,
  );
  taken.close();
  const made = await readdir(dataDir);
  await rm(dataDir, { recursive: true, force: true });
  const told = `Parley cannot start.\nPORT: ${port} is already in use on 127.0.0.1; stop what listens there or set another PORT\n`;
  expect({ code, stderr, made }).toEqual({ code: 1, stderr: told, made: [] });
});

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

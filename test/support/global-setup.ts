import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type Generator, generators, makeTemplates, run } from '../../scripts/generators.ts';
import { readBundle } from '../../src/bundle/bundle.ts';
import { openDatabase } from '../../src/database/client.ts';
import { partitionDatabase } from '../../src/database/layout/partition.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrations } from '../../src/database/migrations.ts';
import { isCluster, serversOf } from './database/cluster.ts';
import { onServer, withDatabase } from './database/database.ts';
import { distributeOver } from './database/distributed-database.ts';
import { seed } from './random/seed.ts';
import { systemFiles } from './repository/imports.ts';
import { partNamed, systemTestsOf } from './repository/parts.ts';

/** Into how many partitions each table of a workspace is divided, on PostgreSQL; 0: none. */
const partitions = Number(process.env.TEST_PARTITIONS ?? 0);

/**
 * Bundles the widget and the readers as they are now, and creates the migrated, empty database that every test file
 * copies, once per state of the migrations.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.stdout.write(`Generated cases: FUZZ_SEED=${seed}\n`);
  const part = partNamed(process.env.TEST_PART);
  if (part && project.vitest.projects.some(({ name }) => name === 'system')) {
    process.stdout.write(`${systemTestsOf(systemFiles(), part).why}\n`);
  }
  for (const generator of generators.filter(isStale)) await run(generator, process.cwd());
  const checksums = readMigrations().map(({ checksum }) => checksum);
  const key = createHash('sha256').update(checksums.join()).digest('hex').slice(0, 16);
  const url = process.env.TEST_DATABASE_URL;
  const name = `parley_template_${key}${partitions > 0 ? `_${partitions}` : ''}${isCluster ? '_citus' : ''}`;
  const clean = await useTemporaryFolder();
  // Most of the processes that tests start run the same code.
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/node');
  await makeTemplates(process.cwd());
  if (!url) {
    project.provide('template', { kind: 'embedded' });
    return clean;
  }
  const drop = await makeDatabase(project, url, name);
  return async () => {
    try {
      await drop();
    } finally {
      await clean();
    }
  };
}

const readers = new URL('../../src/bundle/generated/readers/', import.meta.url);

/** The widget's bundle does not know its sources. That of the gateway is not needed: a changed source runs too. */
const isStale = ({ outputs: [folder = ''] }: Generator): boolean =>
  folder === 'src/widget/generated' || (folder === 'src/bundle/generated' && !readBundle(readers));

/** A temporary folder of this run for its processes, and theirs; the result deletes it with what they left there. */
async function useTemporaryFolder(): Promise<() => Promise<void>> {
  const before = process.env.TMPDIR;
  const folder = await mkdtemp(join(await temporaryPlace(), 'parley-run-'));
  // Servers that run as another user put their files there.
  await chmod(folder, 0o777);
  process.env.TMPDIR = folder;
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

const memory = '/dev/shm';
const enoughBytes = 8 * 1024 ** 3;

/**
 * Memory, where there is enough of it and programs may run in it: the many syncs of databases wait for no disk there.
 */
async function temporaryPlace(): Promise<string> {
  if (process.env.TMPDIR) return process.env.TMPDIR;
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  if (!new RegExp(`^tmpfs ${memory} tmpfs (?!.*noexec)`, 'm').test(mounts)) return tmpdir();
  const { bavail, bsize } = await statfs(memory);
  return Math.min(bavail * bsize, freemem()) < enoughBytes ? tmpdir() : memory;
}

const lockKey = 0x7061726c65;

async function makeDatabase(project: TestProject, url: string, name: string): Promise<() => Promise<void>> {
  await onServer(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [name]);
    if (rowCount) return;
    for (const server of serversOf(url)) {
      await onServer(server, async (node) => {
        await node.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        await node.query(`CREATE DATABASE ${name}`);
      });
    }
    const handle = await openDatabase({ databaseUrl: withDatabase(url, name), dataDir: '' });
    if (isCluster) await distributeOver(url, name, handle);
    await migrate(handle);
    if (partitions > 0) await partitionDatabase(handle, partitions);
    await handle.close();
    for (const server of serversOf(url)) await onServer(server, (node) => sealTemplate(node, name));
  });
  const run = `parley_test_${randomBytes(4).toString('hex')}`;
  project.provide('template', { kind: 'postgres', url, name, run });
  return () => dropCopies(url, run);
}

/** Makes a database one that is only copied: what is connected to it, such as Citus' own upkeep, would prevent that. */
async function sealTemplate(server: pg.Client, name: string): Promise<void> {
  await server.query(`ALTER DATABASE ${name} IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
}

/** Drops the databases of interrupted tests. */
const dropCopies = async (url: string, run: string): Promise<void> => {
  for (const server of serversOf(url)) await dropCopiesOn(server, run);
};

async function dropCopiesOn(url: string, run: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname LIKE $1', [
      `${run}\\_%`,
    ]);
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, initCluster, removeCluster } from '../../support/database/postgres-cluster.ts';
import { noStandby } from '../../support/database/standby.ts';

const cwd = path.join(import.meta.dirname, '../../..');
const password = 'a@b#c%d/e:f?g h';
const encoded = encodeURIComponent(password);

/** Starts a gateway, and returns the lines of its log up to the one that says it is ready or cannot start. */
async function start(databaseUrl: string, dataDir: string): Promise<Record<string, unknown>[]> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, ['src/main.ts'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const lines: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.msg === 'Parley is ready') child.kill('SIGTERM');
  }
  await ended;
  return lines;
}

describe.skipIf(noStandby)('a gateway becomes ready on a database that DATABASE_URL names', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-url-'));
  const sockets = path.join(folder, 'sockets');
  let cluster: Cluster;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    cluster = await initCluster(path.join(folder, 'primary'));
    const rules = path.join(cluster.folder, 'pg_hba.conf');
    const scram = ['local', 'host'].map(
      (type) => `${type} all secretive ${type === 'host' ? 'all ' : ''}scram-sha-256\n`,
    );
    writeFileSync(rules, `${scram.join('')}${readFileSync(rules, 'utf8')}`);
    // The server's own folder may be entered by its user alone: the sockets are in one of all.
    mkdirSync(sockets);
    chmodSync(sockets, 0o777);
    await cluster.start({ unix_socket_directories: sockets });
    await cluster.query(`CREATE ROLE secretive LOGIN PASSWORD '${password}'`);
    await cluster.query('CREATE DATABASE parley');
    await cluster.query('CREATE DATABASE secretive OWNER secretive');
  });
  afterAll(async () => {
    await removeCluster(cluster);
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['by a Unix socket', 'postgresql:///parley?host=SOCKETS&port=PORT&user=postgres'],
    ['by a Unix socket, with a user before the @', 'postgresql://postgres@/parley?host=SOCKETS&port=PORT'],
    ['by a Unix socket as the host, percent-encoded', 'postgresql://postgres@ENCODED:PORT/parley'],
    [
      'with a password of special characters, percent-encoded',
      `postgresql://secretive:${encoded}@127.0.0.1:PORT/secretive`,
    ],
    ['with such a password, by a Unix socket', `postgresql://secretive:${encoded}@/secretive?host=SOCKETS&port=PORT`],
  ])('%s', async (_, form) => {
    const url = form
      .replace('SOCKETS', sockets)
      .replace('ENCODED', encodeURIComponent(sockets))
      .replace('PORT', String(cluster.port));
    const dataDir = path.join(folder, 'data');
    const lines = await start(url, dataDir);
    expect(lines.find(({ level, msg }) => level === 'fatal' || msg === 'Parley is ready')).toMatchObject({
      msg: 'Parley is ready',
    });
    expect(JSON.stringify(lines)).not.toContain(encoded);
    expect(JSON.stringify(lines)).not.toContain(JSON.stringify(password).slice(1, -1));
  });
});

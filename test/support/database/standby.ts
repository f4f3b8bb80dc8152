import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { type Cluster, initCluster, programs, removeCluster, standbyOf } from './postgres-cluster.ts';

/** A primary with an empty database `parley`, and a streaming standby named `standby`. */
export type Pair = { primary: Cluster; standby: Cluster; close(): Promise<void> };

/** Why tests with a standby cannot run here; null if they can. */
export const noStandby: string | null = programs
  ? null
  : "PostgreSQL's programs (initdb, pg_basebackup) are not installed";
if (noStandby) process.stderr.write(`Tests with a standby are skipped: ${noStandby}.\n`);

/** Starts both servers in a temporary folder. `synchronous`: the primary acknowledges what the standby has as well. */
export async function openPair({ synchronous = false } = {}): Promise<Pair> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-standby-'));
  chmodSync(folder, 0o755);
  const primary = await initCluster(path.join(folder, 'primary'));
  await primary.start();
  await primary.query('CREATE DATABASE parley');
  const standby = await standbyOf(primary, path.join(folder, 'standby'), 'standby');
  await standby.start();
  if (synchronous) await makeSynchronous(primary);
  return {
    primary,
    standby,
    async close() {
      await Promise.all([removeCluster(standby), removeCluster(primary)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the primary wait for its standby with every commit. */
export async function makeSynchronous(primary: Cluster): Promise<void> {
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.query('SELECT pg_reload_conf()');
  const isSync = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
  while ((await primary.query(isSync)).length === 0) await sleep(50);
}

/** Waits until the standby has replayed what is written now, and a gateway's database handle knows so. */
export async function catchUp({ primary, standby }: Pair, handle: DatabaseHandle): Promise<void> {
  const [row] = await primary.query<{ at: string }>('SELECT pg_current_wal_lsn()::text AS at');
  const reached = 'SELECT 1 WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn';
  while ((await standby.query(reached, [row?.at])).length === 0) await sleep(20);
  const since = performance.now();
  while ((handle.standby?.ageMs ?? Number.POSITIVE_INFINITY) > performance.now() - since) await sleep(20);
}

import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/client.ts';
import { allowStale, withDeadline } from '../../../src/database/deadline.ts';
import type { Pool } from '../../../src/database/pool.ts';
import { closePostgres, openPostgres, type Postgres } from '../../../src/database/postgres.ts';
import { Standby } from '../../../src/database/standby/standby.ts';
import { type Cluster, removeCluster, standbyOf } from '../../support/database/postgres-cluster.ts';
import { noStandby, openPair, type Pair } from '../../support/database/standby.ts';

describe.skipIf(noStandby)('a standby that cannot be compared with its primary', () => {
  let pair: Pair;
  /** Another standby of the same primary. */
  let other: Cluster;
  let primary: Postgres;

  beforeAll(async () => {
    pair = await openPair();
    other = await standbyOf(pair.primary, path.join(path.dirname(pair.primary.folder), 'other'), 'other');
    await other.start();
    primary = await openPostgres(pair.primary.url('parley'));
  });
  afterAll(async () => {
    if (primary) await closePostgres(primary);
    if (other) await removeCluster(other);
    await pair?.close();
  });

  test('at the first attempt is not reported: it is not known yet whether it can be used', async () => {
    let asked = 0;
    const slow = { query: (text: string) => (asked++ ? primary.probe.query(text) : Promise.reject(new Error('late'))) };
    const told: (string | null)[] = [];
    const options = { url: pair.standby.url('parley'), onChange: (problem: string | null) => void told.push(problem) };
    const standby = new Standby(options, slow as unknown as Pool);
    await expect.poll(() => told).toEqual([null]);
    expect(asked).toBeGreaterThan(1);
    await standby.close();
  });

  test('because it has not followed a failover serves no read, until it has', async () => {
    await pair.standby.query('SELECT pg_promote()');
    await pair.standby.query('CREATE TABLE note AS SELECT 1 AS n', [], 'parley');
    const told: (string | null)[] = [];
    const onChange = (problem: string | null) => void told.push(problem);
    const [databaseUrl, url] = [pair.standby.url('parley'), other.url('parley')];
    const handle = await openDatabase({ databaseUrl, standby: { url, onChange }, dataDir: '' });
    /** A read that accepts any age: the notes, and whether the standby was asked. */
    const read = () => {
      const text = 'SELECT pg_is_in_recovery() AS "isStandby", n FROM note';
      const work = async () => (await handle.pool.query(text)).rows;
      return withDeadline(5_000, () => allowStale(work), Number.POSITIVE_INFINITY);
    };
    await expect
      .poll(() => told)
      .toEqual(['it is on timeline 1, the primary on 2: it has not followed a failover yet']);
    // Not a matter of time.
    await sleep(1_500);
    expect(handle.standby?.ageMs).toBe(null);
    expect(await read()).toEqual([{ isStandby: false, n: 1 }]);

    await other.query(`ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=${pair.standby.port} user=postgres'`);
    await other.query('SELECT pg_reload_conf()');
    await pair.standby.query('CHECKPOINT');
    // The standby makes its restart point at a checkpoint of the new primary that it has replayed.
    const followed = async () => {
      await other.query('CHECKPOINT');
      return (await other.query<{ id: number }>('SELECT timeline_id AS id FROM pg_control_checkpoint()'))[0]?.id;
    };
    await expect.poll(followed, { interval: 200 }).toBe(2);
    await expect.poll(() => told.at(-1)).toBe(null);
    await expect.poll(() => handle.standby?.ageMs).toBeLessThan(5_000);
    expect(await read()).toEqual([{ isStandby: true, n: 1 }]);
    await handle.close();
  });

  test('because it is a copy of another server is not used', async () => {
    const stranger = await openPair();
    const told: (string | null)[] = [];
    const onChange = (problem: string | null) => void told.push(problem);
    const standby = { url: stranger.standby.url('parley'), onChange };
    const handle = await openDatabase({ databaseUrl: pair.standby.url('parley'), standby, dataDir: '' });
    await expect.poll(() => told).toEqual(['it is not a copy of the server of DATABASE_URL']);
    expect(handle.standby?.ageMs).toBe(null);
    await handle.close();
    await stranger.close();
  });
});

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../../src/database/client.ts';
import { serverWaits } from '../../../src/database/serving/waits.ts';
import { type Cluster, initCluster, removeCluster } from '../../support/database/postgres-cluster.ts';
import { noStandby } from '../../support/database/standby.ts';

describe.skipIf(noStandby)('what statements wait for, as a gateway without special rights sees it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-waits-'));
  let cluster: Cluster;
  let handle: DatabaseHandle;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    cluster = await initCluster(path.join(folder, 'primary'));
    await cluster.start();
    await cluster.query('CREATE ROLE parley LOGIN');
    await cluster.query('CREATE DATABASE parley OWNER parley');
    handle = await openDatabase({ databaseUrl: cluster.url('parley').replace('postgres@', 'parley@'), dataDir: '' });
    await handle.pool.query('CREATE TABLE held AS SELECT 1 AS n');
  });
  afterAll(async () => {
    await handle?.close();
    await removeCluster(cluster);
    rmSync(folder, { recursive: true, force: true });
  });

  const update = () => handle.pool.query('UPDATE held SET n = n + 1');
  const poll = () => expect.poll(() => serverWaits(handle));
  const none = { lock: 0, standby: 0 };

  test('nothing, at first', async () => expect(await serverWaits(handle)).toEqual(none));

  test('a lock of another transaction', async () => {
    const holder = await handle.pool.connect();
    await holder.query('BEGIN');
    await holder.query('UPDATE held SET n = n + 1');
    const waiting = update();
    await poll().toEqual({ lock: expect.toSatisfy((age) => age > 0), standby: 0 });
    await holder.query('COMMIT');
    holder.release();
    await waiting;
    await poll().toEqual(none);
  });

  test('a synchronous standby that is away', async () => {
    const set = (text: string) => cluster.query(text).then(() => cluster.query('SELECT pg_reload_conf()'));
    await set(`ALTER SYSTEM SET synchronous_standby_names = 'db2'`);
    const waiting: Promise<unknown>[] = [];
    // The server takes a while to read its configuration: until then, no write waits.
    const writeAndLook = () => {
      waiting.push(handle.pool.query('INSERT INTO held VALUES (0)'));
      return serverWaits(handle);
    };
    await expect.poll(writeAndLook).toEqual({ lock: 0, standby: expect.toSatisfy((age) => age > 0) });
    await set('ALTER SYSTEM RESET synchronous_standby_names');
    await Promise.all(waiting);
    await poll().toEqual(none);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { databaseUnready } from '../../../src/database/readiness.ts';
import { type ClusterNodes, createClusterNodes } from '../../../src/database/serving/nodes.ts';
import { readyResponse } from '../../../src/http/health.ts';
import { standInForCitus } from '../../support/database/citus-stand-in.ts';
import { onServer, testDatabase } from '../../support/database/database.ts';

let handle: DatabaseHandle;
beforeEach(async () => {
  handle = await testDatabase();
});
afterEach(() => handle.close());

test('a plain database has no nodes to name', async () => {
  const nodes = createClusterNodes(handle);
  expect([await nodes.read(), await nodes.unavailable()]).toEqual([{}, []]);
});

describe.runIf(process.env.TEST_DATABASE_URL && !process.env.TEST_PARTITIONS)('of a cluster, a node that', () => {
  beforeEach(async () => {
    await onServer(handle.pool.url ?? '', (client) => standInForCitus(client));
    handle.pool.isDistributed = true;
    // A gateway that serves is connected.
    await Promise.all([handle.probe, handle.nodes].map((pool) => pool.query('SELECT 1')));
  });

  const nodesThat = (fault: string) => handle.pool.query(`COMMENT ON TABLE "Gateway" IS '${fault}'`);
  const ready = (nodes: ClusterNodes) => readyResponse(() => databaseUnready(handle), nodes.unavailable);

  test.for(['is down', 'hangs'])('%s is named by its metric and by /ready, which stays 200', async (fault) => {
    await nodesThat(`10.0.0.3 ${fault}`);
    const nodes = createClusterNodes(handle);
    const named = { status: 'ready', unavailableNodes: ['10.0.0.3:5432'] };
    expect(await (await ready(nodes)).json()).toEqual(named);
    expect(await nodes.read()).toEqual({ '10.0.0.1:5432': 1, '10.0.0.2:5432': 1, '10.0.0.3:5432': 0 });
    const response = await ready(nodes);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(named);
  });

  test('hangs beside another one keeps /ready neither waiting nor from being 200', async () => {
    await nodesThat('10.0.0.2 hangs, 10.0.0.3 hangs');
    const nodes = createClusterNodes(handle);
    let isChecking = true;
    const check = nodes.read().finally(() => (isChecking = false));
    const answers = [await ready(nodes)];
    expect(isChecking).toBe(true);
    while (isChecking) answers.push(await ready(nodes));
    expect(await check).toEqual({ '10.0.0.1:5432': 1, '10.0.0.2:5432': 0, '10.0.0.3:5432': 0 });
    const told = await Promise.all(answers.map((answer) => answer.json()));
    expect(told.filter(({ status }) => status !== 'ready')).toEqual([]);
    // The first that was found stays named while the second one is asked.
    expect(told.filter(({ unavailableNodes }) => !unavailableNodes?.includes('10.0.0.2:5432'))).toEqual([]);
  });
});

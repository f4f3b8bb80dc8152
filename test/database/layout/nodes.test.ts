import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { createClusterNodes } from '../../../src/database/serving/nodes.ts';
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
  });

  test.for(['is down', 'hangs'])('%s is named by its metric and by /ready, which stays 200', async (fault) => {
    await handle.pool.query(`COMMENT ON TABLE "Gateway" IS '10.0.0.3 ${fault}'`);
    const nodes = createClusterNodes(handle);
    // The first answer, within the second that probes of Kubernetes have; a gateway that serves is connected.
    await handle.probe.query('SELECT 1');
    const began = performance.now();
    const first = await readyResponse(async () => null, nodes.unavailable);
    expect(await first.json()).toEqual({ status: 'ready', unavailableNodes: ['10.0.0.3:5432'] });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await nodes.read()).toEqual({ '10.0.0.1:5432': 1, '10.0.0.2:5432': 1, '10.0.0.3:5432': 0 });
    const response = await readyResponse(async () => null, nodes.unavailable);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ready', unavailableNodes: ['10.0.0.3:5432'] });
  });
});

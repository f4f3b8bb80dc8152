import { expect, test } from 'vitest';
import { startGateway } from './support/gateway-process.ts';
import { openKillWorld } from './support/kill-world.ts';

test.runIf(process.env.TEST_DATABASE_URL)('replicas that start at once make one demo workspace', async () => {
  const world = await openKillWorld({});
  try {
    const starts = await Promise.allSettled([startGateway(world.env), startGateway(world.env)]);
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    await Promise.all(started.map((gateway) => gateway.kill()));
    expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const { client } = world.handle;
    expect(await client.workspace.findMany({ select: { name: true } })).toEqual([{ name: 'Aurora Outdoor (demo)' }]);
    const names = (await client.agent.findMany({ select: { name: true } })).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  } finally {
    await world.close();
  }
});

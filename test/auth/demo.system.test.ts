import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openKillWorld } from '../support/faults/kill-world.ts';
import { startGateway } from '../support/gateway/gateway-process.ts';

test.runIf(process.env.TEST_DATABASE_URL)('replicas that start at once make one demo workspace', async () => {
  const world = await openKillWorld({});
  try {
    const starts = await Promise.allSettled([startGateway(world.env), startGateway(world.env)]);
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    await Promise.all(started.map((gateway) => gateway.kill()));
    expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const found = await world.withDatabase(async ({ client }) => ({
      workspaces: await client.workspace.findMany({ select: { name: true } }),
      agents: await client.agent.findMany({ select: { name: true } }),
    }));
    expect(found.workspaces).toEqual([{ name: 'Aurora Outdoor (demo)' }]);
    const names = found.agents.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  } finally {
    await world.close();
  }
});

test.runIf(process.env.TEST_DATABASE_URL)('a machine that loads slowly starts all the same', async () => {
  const world = await openKillWorld({});
  try {
    const gateway = await startGateway(
      { ...world.env, DEMO: 'false' },
      { imports: ['./test/support/gateway/slow-load.ts'] },
    );
    await gateway.kill();
  } finally {
    await world.close();
  }
});

test('npm run open prints an address that signs a browser in, each time another, while the gateway runs', async () => {
  const world = await openKillWorld({});
  const open = async (env: NodeJS.ProcessEnv = world.env) => {
    const args = ['--disable-warning=ExperimentalWarning', 'src/cli/open.ts'];
    return promisify(execFile)(process.execPath, args, { env }).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    );
  };
  try {
    expect(await open()).toMatch(/^error: No gateway is running on the data folder /);
    expect(await open({ ...world.env, PUBLIC_URL: 'https://p.example' })).toMatch(
      /^error: This gateway gives its pages no token/,
    );
    const gateway = await world.start();
    const addresses = [await open(), await open()];
    for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/graphql#key=[\w-]{43}\n$/);
    const keys = addresses.map((address) => new URL(address.trim()).hash.slice('#key='.length));
    expect(new Set(keys).size).toBe(2);
    const headers = { origin: gateway.url, 'content-type': 'application/json' };
    const exchange = async (key: string | undefined) =>
      (await fetch(`${gateway.url}/demo/session`, { method: 'POST', headers, body: JSON.stringify({ key }) })).status;
    for (const key of keys) expect([await exchange(key), await exchange(key)]).toEqual([200, 403]);
  } finally {
    await world.close();
  }
});

import { beforeEach, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { createAlertCheck } from '../../src/saved/alerts.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
beforeEach(async () => {
  await gateway.database.alert.deleteMany();
  home = await withAlerts(2);
  other = await withAlerts(1);
});

async function withAlerts(count: number): Promise<TestWorkspace> {
  const made = await makeWorkspace(gateway);
  const operation =
    'mutation { createOperation(input: {name: "agents", document: "{ agents { totalCount } }"}) { operation { id } } }';
  await gateway.data(made.owner, operation);
  const tiles = Array.from({ length: count }, (_, at) => ({ operation: 'agents', alert: { above: at } }));
  const board = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
  await gateway.data(made.owner, board, { input: { name: 'wall', title: 'Wall', tiles } });
  return made;
}
const statesOf = async ({ id: workspaceId }: TestWorkspace) =>
  (await gateway.database.alert.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } })).map(({ state }) => state);

/** Looks, where the queries of `slow` wait until `release`. */
function slowCheck(slow: TestWorkspace) {
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const check = createAlertCheck({
    schema,
    services: gateway.services,
    admitAgain: async (viewer) => viewer,
    execute: async (_asked, { workspaceId }) => {
      if (workspaceId === slow.id) {
        begun.resolve();
        await released.promise;
      }
      return Response.json({ data: { agents: { totalCount: 9 } } });
    },
  });
  return { check, begun: begun.promise, release: () => released.resolve() };
}

test('a slow alert of one workspace delays those of no other', async () => {
  const { check, begun, release } = slowCheck(home);
  const round = check();
  await begun;
  await expect.poll(() => statesOf(other)).toEqual(['started']);
  expect(await statesOf(home)).toEqual(['quiet', 'quiet']);
  release();
  await round;
  expect(await statesOf(home)).toEqual(['started', 'started']);
});

test('a round ends with the look that it is at once the process ends', async () => {
  const { check, begun, release } = slowCheck(home);
  const closing = new AbortController();
  const round = check(closing.signal);
  await begun;
  closing.abort();
  release();
  await round;
  expect((await statesOf(home)).toSorted()).toEqual(['quiet', 'started']);
  await check(closing.signal);
  expect((await statesOf(home)).toSorted()).toEqual(['quiet', 'started']);
});

test('a workspace with many alerts leaves its others to the next round', async () => {
  const { id: workspaceId } = home;
  const [one] = await gateway.database.alert.findMany({ where: { workspaceId }, take: 1 });
  const rows = Array.from({ length: 120 }, (_, at) => ({ ...one, id: `alr_many${at}`, key: `many ${at}` }));
  await gateway.database.alert.createMany({ data: rows as never });
  const { check, release } = slowCheck(home);
  release();
  await check();
  const left = { checkedAt: null };
  expect(await gateway.database.alert.count({ where: { workspaceId, ...left } })).toBe(22);
  expect(await statesOf(other)).toEqual(['started']);
  await check();
  expect(await gateway.database.alert.count({ where: { workspaceId, ...left } })).toBe(0);
});

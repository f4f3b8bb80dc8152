import { beforeEach, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { newId } from '../../src/database/ids.ts';
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

test('a result that is too large to read pauses the alert, since its first rows alone do not say what holds', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `a${at}: name`).join(' ');
  const document = `{ agents(first: 20) { nodes { ${names} leads(first: 100) { nodes { conversations(first: 0) { totalCount } } } } } }`;
  const saved = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
  await gateway.data(other.owner, saved, { input: { name: 'wide', document } });
  const board = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
  const tiles = [{ operation: 'wide', chart: { type: 'table', data: 'agents.leads' }, alert: { noData: true } }];
  await gateway.data(other.owner, board, { input: { name: 'large', title: 'Large', tiles } });
  const { id } = await gateway.database.alert.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  const checked = async (agents: number) => {
    const made = Array.from(
      { length: agents },
      (_, at) => `a${at}: createAgent(input: { name: "A" }) { agent { id } }`,
    );
    const answer = made.length > 0 ? await gateway.data(other.owner, `mutation { ${made.join(' ')} }`) : {};
    const data = Object.values(answer as Record<string, { agent: { id: string } }>).flatMap(({ agent }) =>
      Array.from({ length: 100 }, () => ({ id: newId('lead'), workspaceId: other.id, agentId: agent.id })),
    );
    await gateway.database.lead.createMany({ data });
    await gateway.database.alert.updateMany({ where: { id }, data: { checkedAt: new Date(0) } });
    await gateway.app.checkAlerts();
    const { state, pausedReason } = await gateway.database.alert.findFirstOrThrow({ where: { id } });
    return [state, pausedReason];
  };
  expect(await checked(0)).toEqual(['started', null]);
  expect(await checked(2)).toEqual(['quiet', null]);
  expect(await checked(8)).toEqual([
    'quiet',
    'Its result has more rows than are checked: ask for groups, or for fewer rows.',
  ]);
});

import { describe, expect, test } from 'vitest';
import { changeColumns, createFollowChanges } from '../../src/saved/changes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { audited } from '../support/world/audited.ts';
import { comesAfter, inputs } from '../support/world/inputs.ts';
import { makeWorld } from '../support/world/world.ts';

const gateway = useGateway();
/** How many statements have asked for the changes of a workspace, and who waits for more. */
const asked = new Map<string, number>();
const tell = new Set<() => void>();
async function $queryRawUnsafe(statement: string, id: string, since: Date): Promise<unknown> {
  try {
    return await gateway.database.$queryRawUnsafe(statement, id, since);
  } finally {
    asked.set(id, (asked.get(id) ?? 0) + 1);
    for (const told of tell) told();
  }
}
const follow = (id: string, options = {}) => {
  const database = { $queryRawUnsafe } as unknown as typeof gateway.database;
  const changes = createFollowChanges({ database, log: gateway.services.log }, { intervalMs: 10, ...options })(id);
  return Object.assign(changes, { id });
};
/** Waits until the changes of a workspace were read that had been made before, however long that takes. */
async function polled(id: string): Promise<void> {
  // The first may have begun before, two belong to one poll at times, and what the last has read is not yet known.
  const enough = (asked.get(id) ?? 0) + 4;
  await new Promise<void>((resolve) => {
    const told = () => {
      if ((asked.get(id) ?? 0) < enough) return;
      tell.delete(told);
      resolve();
    };
    tell.add(told);
  });
}
async function isSeen(changes: ReturnType<typeof follow>): Promise<boolean> {
  const stop = new AbortController();
  const seen = changes.next(stop.signal).then(() => !stop.signal.aborted);
  await polled(changes.id);
  stop.abort();
  return seen;
}

describe('a change in a workspace is seen', () => {
  test('at first, since it may be of before, and then once for each', async () => {
    const { id, editor } = await makeWorkspace(gateway);
    const changes = follow(id);
    expect(await isSeen(changes)).toBe(true);
    expect(await isSeen(changes)).toBe(false);
    await makeAgent(gateway, editor);
    expect(await isSeen(changes)).toBe(true);
    expect(await isSeen(changes)).toBe(false);
    changes.end();
  });

  test('while nobody waits, and not of another workspace', async () => {
    const [{ id, editor }, other] = [await makeWorkspace(gateway), await makeWorkspace(gateway)];
    const [changes, others] = [follow(id), follow(other.id)];
    await Promise.all([isSeen(changes), isSeen(others)]);
    await makeAgent(gateway, editor);
    expect(await isSeen(others)).toBe(false);
    expect(await isSeen(changes)).toBe(true);
    changes.end();
    others.end();
  });

  test('also if an earlier one is committed after a later one', async () => {
    const { id, editor } = await makeWorkspace(gateway);
    const [slow, fast] = [await makeAgent(gateway, editor), await makeAgent(gateway, editor)];
    const changes = follow(id);
    await isSeen(changes);
    const at = (ms: number) => new Date(Date.now() + ms);
    const write = (agentId: string, updatedAt: Date) =>
      gateway.database.agent.updateMany({ where: { workspaceId: id, id: agentId }, data: { updatedAt } });
    await write(fast.id, at(20_000));
    expect(await isSeen(changes)).toBe(true);
    await write(slow.id, at(10_000));
    expect(await isSeen(changes)).toBe(true);
    changes.end();
  });

  test('also while the time since which it looks moves on', async () => {
    const { id, editor } = await makeWorkspace(gateway);
    const { id: agentId } = await makeAgent(gateway, editor);
    // With each poll.
    const changes = follow(id, { overlapMs: 1 });
    await isSeen(changes);
    for (let count = 1; count <= 5; count++) {
      const updatedAt = new Date(Date.now() + count * 3_600_000);
      await gateway.database.agent.updateMany({ where: { workspaceId: id, id: agentId }, data: { updatedAt } });
      expect(await isSeen(changes)).toBe(true);
    }
    changes.end();
  });
});

/** Mutations whose changes are left to who looks again after a while, and why. */
const unseen: Record<string, string> = {
  acceptInvitation: 'the invitation is one to another workspace',
  acceptTerms: 'it concerns a person in all workspaces',
  attachBase: 'the world has attached it',
  attachPlugin: 'the world has attached it',
  authorizePlugin: 'nothing has changed before the person has agreed',
  createEvaluationCases: 'the world has nothing to make one of',
  declineInvitation: 'the invitation is one to another workspace',
  dismissGap: 'gaps have no index by time',
  refreshPlugin: 'the description is the one of before',
  replayWebhookDelivery: 'deliveries have no time of their last change',
  stopTurn: 'no turn is running',
  updateProfile: 'it concerns a person in all workspaces',
};

describe('what a mutation changes is seen', () => {
  const names = rootFields('Mutation').map(({ name }) => name);
  // What is audited is seen by its entry, whatever the row.
  const kindOf = (name: string) => audited[name]?.[0] ?? name.replace(verbOf(name), '');
  test.each(oneOfEach(names, kindOf))('%s', async (name) => {
    const world = await makeWorld(gateway);
    const run = (mutation: string) => {
      const field = rootFields('Mutation').find((one) => one.name === mutation);
      if (!field) throw new Error(mutation);
      return gateway.data(world.owner, documentOf('Mutation', field, 0), { input: inputs[mutation]?.(world.ids) });
    };
    const before = comesAfter[name];
    if (before) await run(before);
    const changes = follow(world.id);
    await isSeen(changes);
    await run(name);
    const found = await isSeen(changes);
    changes.end();
    expect(found, unseen[name]).toBe(!(name in unseen));
  });
});

test('changes are looked for by indexes, in all tables that have one by the time of the last change', async () => {
  const found = await gateway.database.$queryRaw<{ table: string; definition: string }[]>`
    SELECT tablename AS "table", indexdef AS "definition" FROM pg_indexes WHERE schemaname = current_schema()`;
  const by = (column: string) =>
    new Set(
      found.filter(({ definition }) => definition.includes(`("workspaceId", "${column}"`)).map(({ table }) => table),
    );
  const [updated, created] = [by('updatedAt'), by('createdAt')];
  const tablesOf = (column: string) =>
    Object.entries(changeColumns).flatMap(([table, own]) => (own === column ? [table] : []));
  expect(new Set(tablesOf('updatedAt'))).toEqual(updated);
  expect(tablesOf('createdAt').filter((table) => !created.has(table))).toEqual([]);
});

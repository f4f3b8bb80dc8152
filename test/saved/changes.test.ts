import { describe, expect, test } from 'vitest';
import { changeColumns, createFollowChanges } from '../../src/saved/changes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const follow = (workspaceId: string) => createFollowChanges(gateway.services, 10)(workspaceId);
/** Whether a change is seen before a test has waited for long. */
async function isSeen(changes: ReturnType<typeof follow>, withinMs = 10_000): Promise<boolean> {
  const signal = AbortSignal.timeout(withinMs);
  await changes.next(signal);
  return !signal.aborted;
}

describe('a change in a workspace is seen', () => {
  test('at first, since it may be of before, and then once for each', async () => {
    const { id, editor } = await makeWorkspace(gateway);
    const changes = follow(id);
    expect(await isSeen(changes)).toBe(true);
    expect(await isSeen(changes, 200)).toBe(false);
    await makeAgent(gateway, editor);
    expect(await isSeen(changes)).toBe(true);
    expect(await isSeen(changes, 200)).toBe(false);
    changes.end();
  });

  test('while nobody waits, and not of another workspace', async () => {
    const [{ id, editor }, other] = [await makeWorkspace(gateway), await makeWorkspace(gateway)];
    const [changes, others] = [follow(id), follow(other.id)];
    await Promise.all([isSeen(changes), isSeen(others)]);
    await makeAgent(gateway, editor);
    expect(await isSeen(others, 200)).toBe(false);
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

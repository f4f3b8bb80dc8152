import { expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { deleteExpired } from '../../src/database/upkeep/batches.ts';
import { onServer, statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const long = Date.parse('2020-01-01');

/** Events of several workspaces, one of each in turn. */
async function makeEvents(workspaceIds: string[], each: number): Promise<void> {
  const made = Array.from({ length: each }).flatMap((_, number) =>
    workspaceIds.map((workspaceId, place) => ({
      workspaceId,
      id: newId('event'),
      type: 'ping',
      data: {},
      createdAt: new Date(long + number * 1_000 + place),
    })),
  );
  await gateway.database.outboxEvent.createMany({ data: made });
}

const countOf = (workspaceIds: string[]) =>
  gateway.database.outboxEvent.count({ where: { workspaceId: { in: workspaceIds }, type: 'ping' } });
const expire = (upTo: number, size?: number) =>
  statementsOf(() => deleteExpired(gateway.database, 'OutboxEvent', new Date(upTo), size));
const deletes = (statements: string[]) => statements.filter((text) => text.includes('DELETE FROM "OutboxEvent"'));

test('expired rows of several workspaces are deleted by one statement for each workspace, not for each row', async () => {
  const workspaces = await Promise.all([1, 2, 3].map(() => makeWorkspace(gateway)));
  const ids = workspaces.map(({ id }) => id);
  await makeEvents(ids, 8);
  const { statements } = await expire(long + 5_000 - 1, 5);
  expect(await countOf(ids)).toBe(9);
  expect(deletes(statements)).toHaveLength(3);
});

test('expired rows of one workspace are deleted in batches, however many there are', async () => {
  const { id } = await makeWorkspace(gateway);
  await makeEvents([id], 45);
  const { recorded } = await expire(long + 40_000 - 1, 2);
  expect(await countOf([id])).toBe(5);
  const removing = recorded.filter(({ text }) => text.includes('DELETE FROM "OutboxEvent"'));
  const lengths = removing.flatMap(({ values }) => values.filter(Array.isArray).map((keys) => keys.length));
  expect(Math.max(...lengths)).toBe(2);
});

// The embedded database has one connection.
test.skipIf(!process.env.TEST_DATABASE_URL)('a row that another process holds is left to the next round', async () => {
  const { id } = await makeWorkspace(gateway);
  await makeEvents([id], 3);
  await onServer(gateway.services.pool.url ?? '', async (other) => {
    await other.query('BEGIN');
    const held = 'SELECT FROM "OutboxEvent" WHERE "workspaceId" = $1 ORDER BY "createdAt" LIMIT 1 FOR UPDATE';
    await other.query(held, [id]);
    await expire(long + 9_000);
    expect(await countOf([id])).toBe(1);
  });
  await expire(long + 9_000);
  expect(await countOf([id])).toBe(0);
});

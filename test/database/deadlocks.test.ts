import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseHandle, type Transaction, transact } from '../../src/database/client.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

/** The embedded database has one session, so its transactions never overlap. */
const isPostgres = Boolean(process.env.TEST_DATABASE_URL);
const { gateway, home } = useWorkspaces();

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await borrowDatabase();
  await handle.client.workspace.create({ data: { id: 'w', name: 'W' } });
});
afterAll(() => handle.close());

describe.runIf(isPostgres)('whoever PostgreSQL ends for a deadlock', () => {
  const rename = (tx: Transaction, id: string, name: string) =>
    tx.lead.updateMany({ where: { workspaceId: 'w', id }, data: { name } });

  /** Runs two transactions on leads `one` and `two`; each continues once both hold their first lock. */
  async function meet(first: (locked: () => Promise<void>) => Promise<unknown>, second: typeof first) {
    await handle.client.lead.deleteMany();
    await handle.client.lead.createMany({
      data: ['one', 'two'].map((id) => ({ id, workspaceId: 'w', name: id })),
    });
    let waiting = 2;
    const { promise, resolve } = Promise.withResolvers<void>();
    const locked = () => {
      waiting -= 1;
      if (waiting === 0) resolve();
      return promise;
    };
    await Promise.all([first(locked), second(locked)]);
    return (await handle.client.lead.findMany({ orderBy: { id: 'asc' } })).map(({ name }) => name);
  }

  test('does it again: both of two transactions are kept', async () => {
    let attempts = 0;
    const write = (ids: [string, string], name: string) => (locked: () => Promise<void>) =>
      transact(handle.client, async (tx) => {
        attempts += 1;
        await rename(tx, ids[0], name);
        await locked();
        await rename(tx, ids[1], name);
      });
    const names = await meet(write(['one', 'two'], 'a'), write(['two', 'one'], 'b'));
    expect(new Set(names).size).toBe(1);
    expect(attempts).toBe(3);
  });

  test('is told, when its work cannot be done twice', async () => {
    const once = (ids: [string, string]) => (locked: () => Promise<void>) =>
      transact(
        handle.client,
        async (tx) => {
          await rename(tx, ids[0], 'x');
          await locked();
          await rename(tx, ids[1], 'x');
        },
        { once: true },
      );
    await expect(meet(once(['one', 'two']), once(['two', 'one']))).rejects.toThrow(/deadlock/);
  });
});

test('an agent that many delete at once, in every way, is deleted once and not found by the others', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await makeAgent(gateway, home.admin);
    await gateway.database.lead.createMany({
      data: [1, 2, 3].map((number) => ({
        id: `${id}-${number}`,
        workspaceId: home.admin.workspaceId,
        name: 'L',
        agentId: id,
      })),
    });
    const { agent } = await gateway.data(home.admin, `{ agent(id: "${id}") { updatedAt } }`);
    const remove = 'mutation ($input: DeleteAgentInput!) { deleteAgent(input: $input) { clientMutationId } }';
    const deletions = Array.from({ length: 16 }, (_, index) =>
      gateway.graphql(home.admin, remove, {
        input: { id, ...(index % 2 === 0 && { expectedUpdatedAt: agent.updatedAt }) },
      }),
    );
    const codes = (await Promise.all(deletions)).map(({ errors }) => errors?.[0]?.extensions.code ?? 'done');
    expect(codes.toSorted()).toEqual(['done', ...Array(15).fill('not_found')]);
  }
});

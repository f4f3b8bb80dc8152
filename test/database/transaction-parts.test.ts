import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { afterCommit, type DatabaseHandle, type Transaction, transact } from '../../src/database/client.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';

let handle: DatabaseHandle;
let database: DatabaseHandle['client'];
beforeAll(async () => {
  handle = await borrowDatabase();
  database = handle.client;
  await database.workspace.create({ data: { id: 'w', name: 'W' } });
});
afterAll(() => handle.close());

const lead = (id: string) => ({ id, workspaceId: 'w', name: id });

describe('inside a transaction', () => {
  test('with savepoints, a part that fails undoes itself alone, and what it wanted to do afterwards', async () => {
    const done: string[] = [];
    const count = await transact(
      database,
      async (tx) => {
        await tx.lead.create({ data: lead('kept') });
        await afterCommit(asDatabase(tx), () => done.push('outer'));
        const part = transact(asDatabase(tx), async (inner) => {
          await inner.lead.create({ data: lead('undone') });
          await afterCommit(database, () => done.push('inner'));
          await inner.lead.create({ data: lead('undone') });
        });
        await expect(part).rejects.toThrow();
        expect(done).toEqual([]);
        return tx.lead.count({ where: { id: { in: ['kept', 'undone'] } } });
      },
      { savepoints: true },
    );
    expect([count, done]).toEqual([1, ['outer']]);
  });

  test('a part that fails undoes all of itself, also after a part within it has failed', async () => {
    const count = await transact(
      database,
      async (tx) => {
        const outer = transact(asDatabase(tx), async () => {
          await tx.lead.create({ data: lead('outer') });
          const inner = transact(asDatabase(tx), () => tx.lead.create({ data: lead('outer') }));
          await expect(inner).rejects.toThrow();
          throw new Error('no');
        });
        await expect(outer).rejects.toThrow('no');
        return tx.lead.count({ where: { id: 'outer' } });
      },
      { savepoints: true },
    );
    expect(count).toBe(0);
  });

  test('what is to be done afterwards is not done when it is rolled back, and at once outside', async () => {
    const done: string[] = [];
    const work = async () => {
      await afterCommit(database, () => done.push('rolled back'));
      throw new Error('no');
    };
    await expect(transact(database, work)).rejects.toThrow('no');
    await afterCommit(database, () => done.push('at once'));
    expect(done).toEqual(['at once']);
  });
});

/** Lets a domain operation use a transaction as its database client. */
const asDatabase = (tx: Transaction) => tx as typeof database;

import { type Database, type Transaction, transact } from '../database/client.ts';

type BaseKey = { workspaceId: string; id: string };

/**
 * Locks a base until the transaction ends, so that two sources of it that finish at once are counted one after the
 * other. All writers to a base's sources lock the base first, which prevents deadlocks. Returns false if the base does
 * not exist.
 */
export async function lockBase(tx: Transaction, { workspaceId, id }: BaseKey): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "Base" WHERE "workspaceId" = ${workspaceId} AND id = ${id} FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/**
 * Runs `work` in a transaction that locks the base first, like all writers to its sources, which prevents deadlocks.
 */
export async function inBase(
  database: Database,
  base: { workspaceId: string; baseId: string },
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await transact(
    database,
    async (tx) => {
      await lockBase(tx, { workspaceId: base.workspaceId, id: base.baseId });
      await work(tx);
    },
    { timeoutMs: 120_000 },
  );
}

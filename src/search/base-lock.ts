import { type Database, type Transaction, transact } from '../database/client.ts';

export type BaseKey = { workspaceId: string; id: string };

/**
 * Holds a base until the transaction ends, so that two sources of it that end at once are counted one after the other.
 * Whoever writes to a base's sources locks the base first: in one order, nobody waits in a circle. False: there is none.
 */
export async function lockBase(tx: Transaction, { workspaceId, id }: BaseKey): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "Base" WHERE "workspaceId" = ${workspaceId} AND id = ${id} FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/** A transaction that holds the base first, as all do that write to its sources: so that nobody waits in a circle. */
export async function inBase(
  database: Database,
  home: { workspaceId: string; baseId: string },
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await transact(
    database,
    async (tx) => {
      await lockBase(tx, { workspaceId: home.workspaceId, id: home.baseId });
      await work(tx);
    },
    { timeoutMs: 120_000 },
  );
}

import type { Transaction } from '../database/client.ts';

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

import type { Context } from '../context.ts';
import { ParleyError } from '../core/errors.ts';
import { type Transaction, transact } from '../database/client.ts';
import type { Prisma } from '../database/generated/prisma/client.ts';
import { within } from '../database/within.ts';
import { holdFields, lockFields } from './fields/custom-values.ts';

/** A row by its key, and as of when the caller knows it. */
export type KnownRow = { model: Prisma.ModelName; key: Record<string, string>; updatedAt: Date };

/** The row has been changed since the caller read it: nothing was written. */
export class RowChanged extends Error {
  override name = 'RowChanged';
  /** When it was changed last. */
  readonly updatedAt: Date;

  constructor(updatedAt: Date) {
    super('The row has changed.');
    this.updatedAt = updatedAt;
  }
}

/**
 * Changes a row unless another has changed it since: nobody else writes it from the comparison to the end of the transaction,
 * whose client `change` gets in its context. Throws `RowChanged`, and keeps nothing then. Whatever else is wrong, be it that
 * the row is not there or may not be changed, is for `change` to tell, as without a condition.
 */
export async function changeKnown<T>(
  context: Context,
  { model, key, updatedAt }: KnownRow,
  change: (context: Context) => Promise<T>,
): Promise<T> {
  // The queue opens a store of its own, which cannot wait for a transaction that waits for the queue.
  await context.queue.open();
  const work = async (tx: Transaction) => {
    await lockBefore[model]?.(tx, key);
    const now = await lockRow(tx, model, key);
    const isStale = now !== null && now.getTime() !== updatedAt.getTime();
    const changed = await change(within(context, tx)).catch((error: unknown) => {
      throw isStale && error instanceof ParleyError && error.code === 'conflict' ? new RowChanged(now) : error;
    });
    if (isStale) throw new RowChanged(now);
    return changed;
  };
  return transact(context.database, work, { savepoints: true, timeoutMs: longestMs });
}

/** As long as the longest of all changes may take. */
const longestMs = 15 * 60_000;

/** Keeps a row as it is until the transaction ends. Answers when it was changed last; null: there is none. */
async function lockRow(tx: Transaction, model: Prisma.ModelName, key: Record<string, string>): Promise<Date | null> {
  const isRow = Object.keys(key).map((column, index) => `"${column}" = $${index + 1}`);
  const [row] = await tx.$queryRawUnsafe<{ updatedAt: Date }[]>(
    `SELECT "updatedAt" FROM "${model}" WHERE ${isRow.join(' AND ')} FOR NO KEY UPDATE`,
    ...Object.values(key),
  );
  return row?.updatedAt ?? null;
}

type Lock = (tx: Transaction, key: Record<string, string>) => Promise<unknown>;

/** What the changes of some rows lock before the row: in one order, nobody waits in a circle. */
const lockBefore: Partial<Record<Prisma.ModelName, Lock>> = {
  Field: (tx, { workspaceId = '' }) => lockFields(tx, workspaceId),
  Lead: (tx, { workspaceId = '' }) => holdFields(tx, workspaceId),
  Source: (tx, { workspaceId = '', id = '' }) => tx.$executeRaw`
    SELECT 1 FROM "Base" WHERE "workspaceId" = ${workspaceId}
    AND id = (SELECT "baseId" FROM "Source" WHERE "workspaceId" = ${workspaceId} AND id = ${id}) FOR NO KEY UPDATE`,
};

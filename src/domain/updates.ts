import type { Context } from '../context.ts';
import { ParleyError } from '../core/errors.ts';
import { type Transaction, transact } from '../database/client.ts';
import type { Prisma } from '../database/generated/prisma/client.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockFields, lockFieldsShared } from './fields/custom-values.ts';

/** A row by its key, and its `updatedAt` as the caller last read it. */
type ExpectedRow = { model: Prisma.ModelName; key: Record<string, string>; updatedAt: Date };

/** The row has changed since the caller read it. Nothing was written. */
export class RowChanged extends Error {
  override name = 'RowChanged';
  /** When it was last changed. */
  readonly updatedAt: Date;

  constructor(updatedAt: Date) {
    super('The row has changed.');
    this.updatedAt = updatedAt;
  }
}

/**
 * Changes a row unless it has changed since `updatedAt`: it is locked from the comparison to the end of the
 * transaction, in which `change` runs. Throws `RowChanged`, and rolls back. Other failures, such as a row that does not
 * exist or may not be changed, are left to `change`, as in an unconditional update.
 */
export async function changeExpectedRow<T>(
  context: Context,
  { model, key, updatedAt }: ExpectedRow,
  change: (context: Context) => Promise<T>,
): Promise<T> {
  // The queue opens a store of its own, and must not do so while this transaction waits for it.
  await context.queue.open();
  const work = async (tx: Transaction) => {
    await lockBefore[model]?.(tx, key);
    const now = await lockRow(tx, model, key);
    const isStale = now !== null && now.getTime() !== updatedAt.getTime();
    const changed = await change(inTransaction(context, tx)).catch((error: unknown) => {
      throw isStale && error instanceof ParleyError && error.code === 'conflict' ? new RowChanged(now) : error;
    });
    if (isStale) throw new RowChanged(now);
    return changed;
  };
  return transact(context.database, work, { savepoints: true, timeoutMs });
}

/** At least as long as the longest change may take. */
const timeoutMs = 15 * 60_000;

/** Locks a row until the transaction ends. Resolves to its `updatedAt`; null if it does not exist. */
async function lockRow(tx: Transaction, model: Prisma.ModelName, key: Record<string, string>): Promise<Date | null> {
  const isRow = Object.keys(key).map((column, index) => `"${column}" = $${index + 1}`);
  const [row] = await tx.$queryRawUnsafe<{ updatedAt: Date }[]>(
    `SELECT "updatedAt" FROM "${model}" WHERE ${isRow.join(' AND ')} FOR NO KEY UPDATE`,
    ...Object.values(key),
  );
  return row?.updatedAt ?? null;
}

type Lock = (tx: Transaction, key: Record<string, string>) => Promise<unknown>;

/** Locks that changes of these models take before the row's own: the same order everywhere avoids deadlocks. */
const lockBefore: Partial<Record<Prisma.ModelName, Lock>> = {
  Field: (tx, { workspaceId = '' }) => lockFields(tx, workspaceId),
  Lead: (tx, { workspaceId = '' }) => lockFieldsShared(tx, workspaceId),
  Source: (tx, { workspaceId = '', id = '' }) => tx.$executeRaw`
    SELECT 1 FROM "Base" WHERE "workspaceId" = ${workspaceId}
    AND id = (SELECT "baseId" FROM "Source" WHERE "workspaceId" = ${workspaceId} AND id = ${id}) FOR NO KEY UPDATE`,
};

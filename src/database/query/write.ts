import { type Database, type Transaction, transact } from '../client.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Where } from './delegate.ts';
import { type Delegate, delegateOf } from './delegate.ts';

type Model = Prisma.ModelName;
type Arguments<M extends Model, Verb extends string> = Verb extends keyof Prisma.TypeMap['model'][M]['operations']
  ? Prisma.TypeMap['model'][M]['operations'][Verb]['args' & keyof Prisma.TypeMap['model'][M]['operations'][Verb]]
  : never;
type DataOf<M extends Model, Verb extends string> = Arguments<M, Verb>['data' & keyof Arguments<M, Verb>];

/** Values of a row by column; missing columns get their defaults. */
export type Values = Record<string, unknown>;
/** A row that must not exist, by the values of columns. */
type InsertUnlessExists = { model: Model; where: Record<string, string | { in: string[] }> };

/** Rows that refer to a deleted row, and the values that they get. */
type Detach = { model: Model; where: Where; update: Values };

/**
 * A change of one row by one statement, as data: resolvers pass it to Prisma, compiled queries turn it into SQL, so
 * each write is declared once. A condition identifies the row by its id, and states what must hold of it.
 */
export type Write = { model: Model } & (
  | { insert: Values; unlessExists?: InsertUnlessExists; ifThere?: OnConflict }
  | { update: Values; where: Where }
  | { remove: Where; detach?: Detach }
  | { joinRow: JoinRow; where: Where }
);

/** What an insertion does if there is a row with the same values of these columns, a key: updates it, or nothing. */
export type OnConflict = { key: readonly string[]; update: Values | null };

/**
 * A row of a join table is inserted unless there is one, or is removed; the row that the condition identifies stays as
 * it is. Nothing is done if there is none to remove.
 */
export type JoinRow = { model: Model } & ({ insert: Values } | { remove: Where });

/** An insert, skipped if `unlessExists` finds a row. */
export const insertion = <M extends Model>(
  model: M,
  values: DataOf<M, 'create'>,
  unlessExists?: InsertUnlessExists,
): Write => ({
  model,
  insert: values as Values,
  unlessExists,
});

/** An insertion, or an update if there is a row with the same key; `update` null leaves that as it is. */
export const insertionOrChange = <M extends Model>(
  model: M,
  values: DataOf<M, 'create'>,
  ifThere: { key: readonly string[]; update: DataOf<M, 'updateManyAndReturn'> | null },
): Write => ({ model, insert: values as Values, ifThere: ifThere as OnConflict });

/** An update of a row, if it exists and meets the condition. */
export const change = <M extends Model>(model: M, where: Where, values: DataOf<M, 'updateManyAndReturn'>): Write => ({
  model,
  where,
  update: values as Values,
});

/** A deletion of a row, if it exists and meets the condition. Rows that refer to it may be updated first. */
export const removal = (model: Model, where: Where, detach?: Detach): Write => ({ model, remove: where, detach });

/** Executes a write and resolves with the row (for a deletion, with its condition); null if nothing was written. */
export async function writeRow<Row>(store: Store, write: Write): Promise<Row | null> {
  const rows = delegateOf(store, write.model);
  if ('remove' in write) {
    const { count } = await removeRow(store, write);
    return count === 0 ? null : (write.remove as Row);
  }
  if ('update' in write) {
    // Given no values, Prisma writes nothing and returns no row.
    if (isEmpty(write.update)) return (await rows.findFirst({ where: write.where })) as Row | null;
    const [row] = await rows.updateManyAndReturn({ where: write.where, data: exact(write.update) });
    return (row as Row | undefined) ?? null;
  }
  if ('joinRow' in write) {
    const joinRows = delegateOf(store, write.joinRow.model);
    if ('insert' in write.joinRow) await joinRows.createMany({ data: write.joinRow.insert, skipDuplicates: true });
    else if ((await joinRows.deleteMany({ where: write.joinRow.remove })).count === 0) return null;
    return (await rows.findFirst({ where: write.where })) as Row | null;
  }
  const { model, insert, unlessExists, ifThere } = write;
  if (ifThere) return (await insertOr(rows, insert, ifThere)) as Row | null;
  return (await (unlessExists
    ? insertUnlessExists(store, model, insert, unlessExists)
    : rows.create({ data: exact(insert) }))) as Row | null;
}

async function insertOr(rows: Delegate, create: Values, { key, update }: OnConflict): Promise<unknown> {
  if (!update) {
    const [row] = await rows.createManyAndReturn({ data: create, skipDuplicates: true });
    return row ?? null;
  }
  const values = Object.fromEntries(key.map((column) => [column, create[column]]));
  return rows.upsert({ where: key.length === 1 ? values : { [key.join('_')]: values }, create, update });
}

async function removeRow(store: Store, { model, remove: where, detach }: Removal): Promise<{ count: number }> {
  if (!detach) return delegateOf(store, model).deleteMany({ where });
  const remove = () =>
    transact(store as Database, async (tx) => {
      // Locks the row before those that refer to it, like the compiled statement, which prevents deadlocks.
      await lockRow(tx, model, where);
      await delegateOf(tx, detach.model).updateMany({ where: detach.where, data: detach.update });
      return delegateOf(tx, model).deleteMany({ where });
    });
  // A reference created between the two writes makes the second fail (P2003); the retry updates it too.
  return remove().catch((error) => {
    if (error?.code === 'P2003') return remove();
    throw error;
  });
}

/**
 * Locks rows until the transaction ends, which Prisma does not support. The condition must consist of column values.
 */
function lockRow(tx: Transaction, model: Model, where: Where): Promise<unknown> {
  const conditions = Object.keys(where).map((column, index) => `"${column}" = $${index + 1}`);
  const text = `SELECT FROM "${model}" WHERE ${conditions.join(' AND ')} FOR UPDATE`;
  return tx.$executeRawUnsafe(text, ...Object.values(where));
}

/** Prisma's engine may misread a number of 17 digits as its neighbour; a Decimal is passed on exactly. */
const exact = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [
      column,
      typeof value === 'number' && !Number.isSafeInteger(value) ? new Prisma.Decimal(value) : value,
    ]),
  );

/** Whether a change has no values. */
export const isEmpty = (values: Values): boolean => Object.values(values).every((value) => value === undefined);

type Store = Database | Transaction;
type Removal = Extract<Write, { remove: Where }>;
/**
 * A conditional insert, which Prisma cannot express in one statement. All values must be given, including timestamps.
 */
async function insertUnlessExists(
  store: Store,
  model: Model,
  values: Values,
  { model: other, where }: InsertUnlessExists,
): Promise<unknown> {
  const parameters: unknown[] = [JSON.stringify(values)];
  const parameter = (value: string) => `$${parameters.push(value)}`;
  const columns = Object.keys(values).filter((column) => values[column] !== undefined);
  const names = columns.map((column) => `"${column}"`).join(', ');
  const conditions = Object.entries(where).map(([column, value]) =>
    typeof value === 'string'
      ? `"${column}" = ${parameter(value)}`
      : `"${column}"::text IN (${value.in.map(parameter).join(', ')})`,
  );
  const [row] = await store.$queryRawUnsafe<unknown[]>(
    `INSERT INTO "${model}" (${names}) SELECT ${names} FROM json_populate_record(NULL::"${model}", $1::json)
     WHERE NOT EXISTS (SELECT FROM "${other}" WHERE ${conditions.join(' AND ')}) RETURNING *`,
    ...parameters,
  );
  return row ?? null;
}

import { type Database, type Transaction, transact } from '../client.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Where } from './list.ts';

type Model = Prisma.ModelName;
type Arguments<M extends Model, Verb extends string> = Verb extends keyof Prisma.TypeMap['model'][M]['operations']
  ? Prisma.TypeMap['model'][M]['operations'][Verb]['args' & keyof Prisma.TypeMap['model'][M]['operations'][Verb]]
  : never;
type DataOf<M extends Model, Verb extends string> = Arguments<M, Verb>['data' & keyof Arguments<M, Verb>];

/** Values of a row by column. A column without one gets its default. */
export type Values = Record<string, unknown>;
/** A row that must not be there: columns that have a value, or one of several. */
export type Unless = { model: Model; where: Record<string, string | { in: string[] }> };

/** Rows that refer to a row that goes, and what they are given instead. */
export type Freeing = { model: Model; where: Where; update: Values };

/**
 * One change of one row by one statement, as data: the resolvers give it to Prisma, compiled queries write it as SQL, and so
 * what is written stands once. A condition names the row by its id, and in what state it must be.
 */
export type Write = { model: Model } & (
  | { insert: Values; unless?: Unless }
  | { update: Values; where: Where }
  | { remove: Where; freeing?: Freeing }
);

/** A new row; none when `unless` finds one. */
export const insertion = <M extends Model>(model: M, values: DataOf<M, 'create'>, unless?: Unless): Write => ({
  model,
  insert: values as Values,
  unless,
});

/** New values of a row, when it is there and as the condition says. */
export const change = <M extends Model>(model: M, where: Where, values: DataOf<M, 'updateManyAndReturn'>): Write => ({
  model,
  where,
  update: values as Values,
});

/** The removal of a row, when it is there and as the condition says. What refers to it may be freed of it before. */
export const removal = (model: Model, where: Where, freeing?: Freeing): Write => ({ model, remove: where, freeing });

/**
 * Writes, and gives the row as it is then (of a removed one what the condition says). Null when nothing was written.
 */
export async function writeRow<Row>(store: Store, write: Write): Promise<Row | null> {
  const rows = delegateOf(store, write.model);
  if ('remove' in write) {
    const { count } = await removeRow(store, write);
    return count === 0 ? null : (write.remove as Row);
  }
  if ('update' in write) {
    // Prisma writes nothing when nothing is given, and then finds no row either.
    if (isEmpty(write.update)) return (await rows.findFirst({ where: write.where })) as Row | null;
    const [row] = await rows.updateManyAndReturn({ where: write.where, data: exact(write.update) });
    return (row as Row | undefined) ?? null;
  }
  const { model, insert, unless } = write;
  return (await (unless
    ? insertUnless(store, model, insert, unless)
    : rows.create({ data: exact(insert) }))) as Row | null;
}

async function removeRow(store: Store, { model, remove: where, freeing }: Removal): Promise<{ count: number }> {
  if (!freeing) return delegateOf(store, model).deleteMany({ where });
  const remove = () =>
    transact(store as Database, async (tx) => {
      // The row before those that refer to it, as the compiled statement does: so nobody waits in a circle.
      await lockRow(tx, model, where);
      await delegateOf(tx, freeing.model).updateMany({ where: freeing.where, data: freeing.update });
      return delegateOf(tx, model).deleteMany({ where });
    });
  // What comes to refer to the row between the two writes makes the second fail (P2003); it is freed next time.
  return remove().catch((error) => {
    if (error?.code === 'P2003') return remove();
    throw error;
  });
}

/** Holds rows until the transaction ends. Prisma has no word for it: the condition must name columns by their values. */
function lockRow(tx: Transaction, model: Model, where: Where): Promise<unknown> {
  const conditions = Object.keys(where).map((column, index) => `"${column}" = $${index + 1}`);
  const text = `SELECT FROM "${model}" WHERE ${conditions.join(' AND ')} FOR UPDATE`;
  return tx.$executeRawUnsafe(text, ...Object.values(where));
}

/** Prisma's engine reads a number of 17 digits as one of its neighbours at times; a decimal it passes on as it is. */
const exact = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [
      column,
      typeof value === 'number' && !Number.isSafeInteger(value) ? new Prisma.Decimal(value) : value,
    ]),
  );

/** Whether a change says nothing. */
export const isEmpty = (values: Values): boolean => Object.values(values).every((value) => value === undefined);

type Store = Database | Transaction;
type Removal = Extract<Write, { remove: Where }>;
type Rows = {
  findFirst(query: object): Promise<unknown>;
  create(query: object): Promise<unknown>;
  updateMany(query: object): Promise<unknown>;
  updateManyAndReturn(query: object): Promise<unknown[]>;
  deleteMany(query: object): Promise<{ count: number }>;
};

const delegateOf = (store: object, model: Model): Rows =>
  (store as Record<string, Rows>)[model.charAt(0).toLowerCase() + model.slice(1)] as Rows;

/** Prisma cannot say this in one statement. All values must be given, the times of the row among them. */
async function insertUnless(
  store: Store,
  model: Model,
  values: Values,
  { model: other, where }: Unless,
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

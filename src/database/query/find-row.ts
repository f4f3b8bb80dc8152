import type { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseServices } from '../in-transaction.ts';
import { Pool } from '../pool.ts';
import { delegateOf } from './delegate.ts';
import { rowOf } from './json-rows.ts';
import { readJson } from './prepared.ts';

/** A row of a table, as Prisma returns it. */
export type RowOf<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];

/** Columns that JSON holds otherwise than Prisma: a list that is null is empty there. */
type Unlike<Row> = {
  [Column in keyof Row]: NonNullable<Row[Column]> extends unknown[] | bigint | Uint8Array ? Column : never;
};
/** The tables whose rows are the same as JSON. */
type JsonModel = {
  [Model in Prisma.ModelName]: [Unlike<RowOf<Model>>[keyof RowOf<Model>]] extends [never] ? Model : never;
}[Prisma.ModelName];

/**
 * Resolves with the row that has these values; null if there is none. Outside of a transaction it is read by a prepared
 * statement, which takes a fraction of the time that Prisma's client needs for a row.
 */
export async function findRow<Model extends JsonModel>(
  { database, pool }: Pick<DatabaseServices, 'database' | 'pool'>,
  model: Model,
  where: Record<string, string | boolean>,
): Promise<RowOf<Model> | null> {
  if (!(pool instanceof Pool)) return (await delegateOf(database, model).findFirst({ where })) as RowOf<Model> | null;
  const conditions = Object.keys(where).map((column, index) => `r."${column}" = $${index + 1}`);
  const text = `SELECT to_json(r)::text FROM "${model}" AS r WHERE ${conditions.join(' AND ')}`;
  const row = await readJson<object>(pool, { text, values: Object.values(where) });
  return row && rowOf<RowOf<Model>>(row);
}

import pg from 'pg';
import type { Prisma } from '../../../src/database/generated/prisma/client.ts';
import type { Pool } from '../../../src/database/pool.ts';

export type Rows = [table: Prisma.ModelName, rows: object[]];

const known = new WeakMap<Pool, Promise<Set<string>>>();

/** The tables with `updatedAt`, which Prisma sets and the database does not. */
async function readTimed(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attname = 'updatedAt'`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Inserts rows in one transaction and one round trip, in a fraction of Prisma's time. */
export async function insertRows(pool: Pool, tables: Rows[]): Promise<void> {
  const timed = known.get(pool) ?? readTimed(pool);
  known.set(pool, timed);
  const withTime = await timed;
  const statements = tables.flatMap(([table, rows]) => {
    const complete = withTime.has(table) ? rows.map((row) => ({ updatedAt: new Date(), ...row })) : rows;
    // Columns that a row does not name get their default.
    const alike = Object.groupBy(complete, (row) => JSON.stringify(Object.keys(row)));
    return Object.values(alike).map((group) => insertion(table, group ?? []));
  });
  await pool.query(`BEGIN; ${statements.join('; ')}; COMMIT`);
}

function insertion(table: string, rows: object[]): string {
  const columns = Object.keys(rows[0] ?? {})
    .map((name) => `"${name}"`)
    .join();
  return `INSERT INTO "${table}" (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", ${pg.escapeLiteral(JSON.stringify(rows))})`;
}

import type { DatabaseHandle } from '../../../src/database/client.ts';

const own = `'public'::regnamespace`;
/** Nothing that an extension made, or the record of migrations. */
const isOurs = (catalog: string, oid: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${oid} AND deptype = 'e')`;
const ofTable = `c.relnamespace = ${own} AND c.relname <> '_prisma_migrations'`;

/** All that makes a schema, by the name of what it is, in an order that does not depend on when it was made. */
const definitions = {
  extensions: 'SELECT extname, extnamespace::regnamespace::text, extversion FROM pg_extension ORDER BY 1',
  types: `SELECT t.typname, t.typtype, format_type(t.typbasetype, t.typtypmod), array(
      SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder) AS labels
    FROM pg_type t WHERE t.typnamespace = ${own} AND t.typtype IN ('e', 'd', 'r', 'm') AND ${isOurs('pg_type', 't.oid')} ORDER BY 1`,
  relations: `SELECT c.relname, c.relkind, c.relpersistence, c.reloptions, c.relreplident, c.relrowsecurity, c.relforcerowsecurity,
      c.relispartition, c.reltablespace::int, c.relacl::text
    FROM pg_class c WHERE ${ofTable} AND c.relname <> '_prisma_migrations_pkey' ORDER BY 1`,
  columns: `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attidentity,
      a.attstorage, a.attcompression, a.attstattarget, a.attacl::text, l.collname,
      array(SELECT option FROM unnest(a.attoptions) option WHERE option LIKE 'n_distinct%') AS options,
      pg_get_expr(d.adbin, d.adrelid) AS "default"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE ${ofTable} AND c.relkind IN ('r', 'p', 'v', 'm') ORDER BY 1, 2`,
  // Without NOT NULL, which columns have: PostgreSQL 18 names that of a renamed column by its former name, 15 by none.
  constraints: `SELECT c.relname, k.conname, k.convalidated, pg_get_constraintdef(k.oid)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE ${ofTable} AND k.contype <> 'n' ORDER BY 1, 2`,
  indexes: `SELECT c.relname, pg_get_indexdef(x.indexrelid), x.indisvalid, x.indisclustered, x.indisreplident
    FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid WHERE ${ofTable} ORDER BY 1, 2`,
  triggers: `SELECT c.relname, t.tgenabled, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE ${ofTable} AND NOT t.tgisinternal ORDER BY 1, 3`,
  functions: `SELECT p.proname, pg_get_functiondef(p.oid), p.proacl::text FROM pg_proc p
    WHERE p.pronamespace = ${own} AND p.prokind <> 'a' AND ${isOurs('pg_proc', 'p.oid')} ORDER BY 1, 2`,
  sequences: 'SELECT * FROM pg_sequences ORDER BY schemaname, sequencename',
  casts: `SELECT castsource::regtype::text, casttarget::regtype::text FROM pg_cast p WHERE oid >= 16384
    AND ${isOurs('pg_cast', 'p.oid')} ORDER BY 1, 2`,
  statistics: `SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext ORDER BY 1`,
  comments: `SELECT classoid::regclass::text, objoid::text, description FROM pg_description WHERE objoid >= 16384
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = classoid AND objid = objoid AND deptype = 'e')
    AND classoid <> 'pg_extension'::regclass ORDER BY 1, 2`,
  settings: `SELECT setconfig FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
    WHERE d.datname = current_database() ORDER BY 1`,
};

/** The schema of a database as its catalogs have it, without the order of columns. */
export async function schemaOf({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [what, text] of Object.entries(definitions)) found[what] = (await pool.query(text)).rows;
  return found;
}

import { PGlite } from '@electric-sql/pglite';
import { readMigrations } from '../migrations.ts';
import { extensions } from '../pglite/extensions.ts';

/** A trigger that the code declares: its name, its table, and the statement that makes it. */
type Declared = { name: string; table: string; sql: string };
type Query = (text: string) => Promise<{ rows: unknown[] }>;
type Found = { name: string; table: string; definition: string };

const written = `SELECT tgname AS "name", relname AS "table", pg_get_triggerdef(t.oid) AS "definition"
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE p.proname IN ('recordRowEvent', 'recordRowEvents', 'auditRow', 'laterThanBefore') AND t.tgparentid = 0
  ORDER BY 2, 1`;

/**
 * The tables whose `updatedAt` callers may send back as `expectedUpdatedAt`: no two updates of a row may have the same.
 * The graph does not show that of the others.
 */
const timed = `SELECT c.relname AS "table" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attname = 'updatedAt' AND NOT a.attisdropped AND c.relname NOT IN ('Credential', 'Usage') ORDER BY 1`;

const laterTrigger = ({ table }: Pick<Found, 'table'>): Declared => ({
  name: `${table}_later`,
  table,
  sql:
    `CREATE TRIGGER "${table}_later" BEFORE UPDATE OF "updatedAt" ON "${table}" FOR EACH ROW ` +
    `WHEN (NEW."updatedAt" <= OLD."updatedAt") EXECUTE FUNCTION "laterThanBefore"();`,
});

/**
 * Returns the SQL that turns the database's triggers into the declared ones, and those of the times; null if they
 * match. Tries them out in a transaction that it rolls back.
 */
export async function triggersToChange(given: Declared[], query: Query): Promise<string | null> {
  await query('BEGIN');
  try {
    const declared = [...given, ...((await query(timed)).rows as Pick<Found, 'table'>[]).map(laterTrigger)];
    const before = await reprinted(query);
    for (const trigger of before) await query(dropping(trigger));
    for (const { sql } of declared) await query(sql);
    const after = await reprinted(query);
    const isIn = (list: Found[], { definition }: Found) => list.some((trigger) => trigger.definition === definition);
    const dropped = before.filter((trigger) => !isIn(after, trigger)).map(dropping);
    const added = after.filter((trigger) => !isIn(before, trigger));
    const created = declared.filter(({ name, table }) =>
      added.some((trigger) => trigger.name === name && trigger.table === table),
    );
    const changes = [...dropped, ...created.map(({ sql }) => sql)];
    return changes.length > 0
      ? `-- Triggers: events of rows, the audit log, times of changes\n${changes.join('\n')}\n`
      : null;
  } finally {
    await query('ROLLBACK');
  }
}

/**
 * The triggers, created again from their definitions: PostgreSQL prints fewer parentheses then, and the triggers of
 * partitioned tables were created that way.
 */
async function reprinted(query: Query): Promise<Found[]> {
  for (const trigger of (await query(written)).rows as Found[]) {
    await query(dropping(trigger));
    await query(trigger.definition);
  }
  return (await query(written)).rows as Found[];
}

const dropping = ({ name, table }: Pick<Found, 'name' | 'table'>) => `DROP TRIGGER "${name}" ON "${table}";`;

/**
 * Returns the SQL that a new migration needs, besides `next`, to arrive at the declared triggers; null if nothing. Runs
 * the migrations on an in-memory database.
 */
export async function diffTriggers(declared: Declared[], next: string | null): Promise<string | null> {
  const scratch = await PGlite.create({ extensions });
  try {
    for (const { script } of readMigrations()) await scratch.exec(script);
    if (next) await scratch.exec(next);
    return await triggersToChange(declared, (text) => scratch.query(text));
  } finally {
    await scratch.close();
  }
}

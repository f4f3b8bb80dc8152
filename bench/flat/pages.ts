import type pg from 'pg';
import type { DatabaseHandle } from '../../src/database/client.ts';
import type { RecordedStatement } from './subject.ts';

/** Those of a coordinator have no blocks of their own. */
type Node = { 'Shared Hit Blocks'?: number; 'Shared Read Blocks'?: number };
type Explained = { Plan: Node };

const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';

/**
 * Returns how many pages (8 KB) of tables and indexes PostgreSQL touches for some statements: a measure of cost that
 * does not depend on the load. On one server under their generic plans, which are the ones that it caches; the nodes of
 * a cluster plan each statement by its values.
 */
export async function pagesOf({ pool }: DatabaseHandle, statements: RecordedStatement[]): Promise<number> {
  const client = await pool.connect();
  const explained = pool.isDistributed ? explainedByValues : explainedForAll;
  let pages = 0;
  try {
    await client.query('SET plan_cache_mode = force_generic_plan');
    for (const statement of statements) {
      if (!/^(SELECT|WITH)/.test(statement.text)) continue;
      const { rows } = await explained(client, statement);
      for (const row of rows) pages += touched(row['QUERY PLAN'][0]);
    }
    return pages;
  } finally {
    await client.query('RESET plan_cache_mode');
    client.release();
  }
}

type Explanation = Promise<pg.QueryResult<{ 'QUERY PLAN': [Explained] }>>;

const explainedByValues = (client: pg.ClientBase, { text, values }: RecordedStatement): Explanation =>
  client.query(`${explain} ${text.replaceAll(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1]))}`);

async function explainedForAll(client: pg.ClientBase, { text, values }: RecordedStatement): Explanation {
  await client.query(`PREPARE explained AS ${text}`);
  const given = values.length > 0 ? `(${values.map(literal).join()})` : '';
  try {
    return await client.query(`${explain} EXECUTE explained${given}`);
  } finally {
    await client.query('DEALLOCATE explained');
  }
}

/** The blocks of a plan, and of those that the nodes of a cluster executed for it; a node's include its children's. */
const touched = ({ Plan }: Explained): number =>
  (Plan['Shared Hit Blocks'] ?? 0) +
  (Plan['Shared Read Blocks'] ?? 0) +
  remotePlans(Plan).reduce((sum, plan) => sum + touched(plan), 0);

const remotePlans = (value: unknown): Explained[] =>
  Object.entries(Object(value) as Record<string, unknown>).flatMap(([key, inner]) =>
    key === 'Remote Plan' ? (inner as Explained[][]).flat() : typeof inner === 'object' ? remotePlans(inner) : [],
  );

/** A value as an SQL literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return literal(value.toISOString());
  if (Array.isArray(value)) return literal(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
  return `'${String(value as string | number | boolean).replaceAll("'", "''")}'`;
}

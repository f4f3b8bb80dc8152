import type { DatabaseHandle } from '../../src/database/client.ts';
import type { RecordedStatement } from './subject.ts';

type Node = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number; 'Node Type': string; Plans?: Node[] };

/**
 * Returns how many pages (8 KB) of tables and indexes PostgreSQL touches for some statements under their generic plans,
 * which are the ones that it caches: a measure of cost that does not depend on the machine's load.
 */
export async function pagesOf({ pool }: DatabaseHandle, statements: RecordedStatement[]): Promise<number> {
  const client = await pool.connect();
  let pages = 0;
  try {
    await client.query('SET plan_cache_mode = force_generic_plan');
    for (const { text, values } of statements) {
      if (!text.startsWith('SELECT') && !text.startsWith('WITH')) continue;
      await client.query(`PREPARE explained AS ${text}`);
      const given = values.length > 0 ? `(${values.map(literal).join()})` : '';
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained${given}`,
      );
      for (const row of rows) pages += touched(row['QUERY PLAN'][0].Plan);
      await client.query('DEALLOCATE explained');
    }
    return pages;
  } finally {
    await client.query('RESET plan_cache_mode');
    client.release();
  }
}

/** The blocks of a plan node; PostgreSQL includes those of its children. */
const touched = (node: Node): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

/** A value as an SQL literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return literal(value.toISOString());
  if (Array.isArray(value)) return literal(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
  return `'${String(value as string | number | boolean).replaceAll("'", "''")}'`;
}

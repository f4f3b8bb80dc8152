import type { DatabaseHandle } from '../../../src/database/client.ts';
import type { RecordedStatement } from './database.ts';

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
};

/** A scan in a plan: its type, and how many rows it read, including filtered ones. */
export type Scan = { how: string; table: string; rows: number };

type Mode = 'force_custom_plan' | 'force_generic_plan';

/** The scans of a statement, with a custom plan and with a generic plan. */
export async function scansOf(
  { pool }: DatabaseHandle,
  { text, values }: RecordedStatement,
  modes: readonly Mode[] = ['force_custom_plan', 'force_generic_plan'],
  { disabled = [] }: { disabled?: readonly string[] } = {},
): Promise<Scan[]> {
  const client = await pool.connect();
  try {
    for (const setting of disabled) await client.query(`SET ${setting} = off`);
    await client.query(`PREPARE explained AS ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join()})` : '';
    const scans: Scan[] = [];
    for (const mode of modes) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      const explain = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE explained${given}`;
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(explain);
      scans.push(...rows.flatMap((row) => scansIn(row['QUERY PLAN'][0].Plan)));
    }
    await client.query('DEALLOCATE explained');
    return scans;
  } finally {
    for (const setting of ['plan_cache_mode', ...disabled]) await client.query(`RESET ${setting}`);
    client.release();
  }
}

/** To how many shards the coordinator of a cluster sends a statement at once; 0 if it reads no distributed table. */
export async function tasksOf({ pool }: DatabaseHandle, { text, values }: RecordedStatement): Promise<number> {
  // Citus explains no INSERT … SELECT with parameters.
  const whole = text.replaceAll(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1]));
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${whole}`);
  return Math.max(0, ...rows.map((row) => Number(/Task Count: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0)));
}

function scansIn(node: Node): Scan[] {
  const below = (node.Plans ?? []).flatMap(scansIn);
  // A partition counts as its table; those that were pruned while the statement ran read nothing.
  const table = node['Relation Name']?.replace(/_p\d+$/, '');
  if (table === undefined || (node['Actual Loops'] === 0 && table !== node['Relation Name'])) return below;
  const met =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const how = [node['Node Type'], node['Index Name']].filter(Boolean).join(' by ');
  return [{ how, table, rows: Math.round(met * node['Actual Loops']) }, ...below];
}

/** A value as an SQL literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (value instanceof Date) return literal(value.toISOString());
  if (Array.isArray(value)) return literal(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
  return `'${String(value).replaceAll("'", "''")}'`;
}

import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** Milliseconds of CPU by process. */
export type Times = Map<number, number>;

/** What the database processes that serve a contender have used, told by the name that it connects under. */
export async function readTimes(pool: Pick<pg.Pool, 'query'>, applicationName: string): Promise<Times> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
    applicationName,
  ]);
  return new Map(rows.map(({ pid }) => [pid, timeOf(pid)]));
}

/** What the processes that serve the database of a pool have used. */
export async function readTimesOfDatabase(pool: Pick<pg.Pool, 'query'>): Promise<Times> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  return new Map(rows.map(({ pid }) => [pid, timeOf(pid)]));
}

/** Milliseconds between two readings. A process that is new in the second one counts whole. */
export function timeBetween(before: Times, after: Times): number {
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
}

/** Linux keeps it in nanoseconds here; NaN on another system, or where the database is on another machine. */
function timeOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** CPU time in milliseconds, by process id. */
export type Times = Map<number, number>;

/** The databases of a contender: the one that it connects to, and those of its cluster's nodes. */
export type Databases = Pick<pg.Pool, 'query'>[];

/** CPU time of the backends that serve a contender, which its application_name identifies, and of those on nodes. */
export async function readTimes([first, ...nodes]: Databases, applicationName: string): Promise<Times> {
  const all = [...(first ? [readTimesOfContender(first, applicationName)] : []), ...nodes.map(readTimesOfDatabase)];
  return new Map((await Promise.all(all)).flatMap((times) => [...times]));
}

async function readTimesOfContender(pool: Pick<pg.Pool, 'query'>, applicationName: string): Promise<Times> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
    applicationName,
  ]);
  return new Map(rows.map(({ pid }) => [pid, timeOf(pid)]));
}

/** CPU time of the backends that serve a pool's database. */
export async function readTimesOfDatabase(pool: Pick<pg.Pool, 'query'>): Promise<Times> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  return new Map(rows.map(({ pid }) => [pid, timeOf(pid)]));
}

/** The milliseconds between two readings. A process that is new in the second one counts in full. */
export function timeBetween(before: Times, after: Times): number {
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
}

/** Linux reports nanoseconds here; NaN on other systems, or if the database is on another machine. */
function timeOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

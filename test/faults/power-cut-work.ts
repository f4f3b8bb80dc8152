import { createHash } from 'node:crypto';
import type { Pool } from '../../src/database/pool.ts';
import type { Recording } from '../support/faults/disk/record.ts';

const walSegment = /^[\dA-F]{24}$/;

/** Rows after a step: how often each was written, by id. */
type Rows = Map<number, number>;

const text = (id: number, version: number): string => {
  const word = createHash('sha256').update(`${id} ${version}`).digest('hex');
  return word.repeat(1 + ((id * 7 + version) % 60));
};

/** Applies a step to the rows: inserts one, updates one, and sometimes deletes one. */
function change(rows: Rows, step: number): void {
  rows.set(step, 1);
  const changed = step - (step % 9);
  if (rows.has(changed)) rows.set(changed, (rows.get(changed) ?? 0) + 1);
  if (step % 5 === 0) rows.delete(step - 3);
}

export function rowsAfter(steps: number): Rows {
  const rows: Rows = new Map();
  for (let step = 1; step <= steps; step++) change(rows, step);
  return rows;
}

/** The statements of a step, as one transaction. */
function statements(step: number): string {
  const before = rowsAfter(step - 1);
  const after = rowsAfter(step);
  const kept = [...after].filter(([id, version]) => before.get(id) !== version);
  const removed = [...before.keys()].filter((id) => !after.has(id));
  return [
    'BEGIN',
    `INSERT INTO "step" VALUES (${step})`,
    ...kept.map(
      ([id, version]) =>
        `INSERT INTO "row" VALUES (${id}, ${version}, '${text(id, version)}')
         ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version, body = EXCLUDED.body`,
    ),
    ...removed.map((id) => `DELETE FROM "row" WHERE id = ${id}`),
    'COMMIT',
  ].join(';');
}

export async function prepare(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE TABLE "step" (n int PRIMARY KEY);
    CREATE TABLE "row" (id int PRIMARY KEY, version int NOT NULL, body text NOT NULL);
    CREATE TABLE "scratch" (t text);
    CREATE INDEX ON "row" (md5(body))`);
}

/** Maintenance between the steps, every so many steps. */
const upkeep: [every: number, sql: string][] = [
  [8, 'CHECKPOINT'],
  [13, 'SELECT pg_switch_wal()'],
  [17, 'VACUUM "row"'],
  [11, 'DROP TABLE IF EXISTS "made"; CREATE TABLE "made" AS SELECT * FROM "row"; CREATE INDEX ON "made" (body)'],
  [19, 'TRUNCATE "scratch"'],
  // More pages than VACUUM's buffers hold, so that it writes some itself.
  [16, `INSERT INTO "scratch" SELECT repeat('x', 900) FROM generate_series(1, 4000); UPDATE "scratch" SET t = t`],
  [16, 'VACUUM "scratch"'],
  [7, `INSERT INTO "scratch" SELECT repeat('x', 900) FROM generate_series(1, 60)`],
  [23, 'REINDEX TABLE "row"'],
];

/**
 * Writes step by step, after those `done`. The log marks when a step is `sent`, when it is `acknowledged`, and when a
 * sync makes everything up to it `due` on disk.
 */
export async function work(
  pool: Pool,
  recording: Pick<Recording, 'mark' | 'synced'>,
  steps: number,
  done = 0,
): Promise<void> {
  for (let step = done + 1; step <= steps; step++) {
    recording.mark(`sent ${step}`);
    await pool.query(statements(step));
    recording.mark(`acknowledged ${step}`);
    for (const [every, sql] of upkeep) if (step % every === 0) await pool.query(sql);
    if (step % 3 !== 0) continue;
    await recording.synced(walSegment);
    recording.mark(`due ${step}`);
  }
}

/** The number of steps that the database has, or what is wrong with it. */
export async function judge(pool: Pool): Promise<number | string> {
  const { rows: made } = await pool.query<{ step: unknown }>(`SELECT to_regclass('step') AS step`);
  if (!made[0]?.step) return 0;
  const { rows: steps } = await pool.query<{ n: number }>('SELECT n FROM "step"');
  const count = steps.length;
  if (new Set(steps.map(({ n }) => n)).size !== count) return 'a step is there twice';
  if (steps.some(({ n }) => n > count)) return 'a step is missing before another';
  const expected = rowsAfter(count);
  for (const seqscan of ['on', 'off']) {
    await pool.query(`SET enable_seqscan = ${seqscan}; SET enable_bitmapscan = ${seqscan}`);
    const { rows } = await pool.query<{ id: number; version: number; body: string }>('SELECT * FROM "row" ORDER BY id');
    if (rows.length !== expected.size) return `${rows.length} rows in place of ${expected.size}`;
    const wrong = rows.find(({ id, version, body }) => expected.get(id) !== version || text(id, version) !== body);
    if (wrong) return `row ${wrong.id} is not that of step ${count}`;
    const { rows: found } = await pool.query('SELECT id FROM "row" WHERE md5(body) = ANY($1)', [
      rows.map(({ body }) => createHash('md5').update(body).digest('hex')),
    ]);
    if (found.length !== expected.size) return `an index finds ${found.length} rows in place of ${expected.size}`;
  }
  // It must still accept writes.
  await pool.query(statements(count + 1));
  return count;
}

import { setTimeout as rest } from 'node:timers/promises';
import type { Database } from '../client.ts';

/** Rows that one statement of a task writes, so that no lock is held for long and requests come in between. */
export const batchSize = 500;
/** How long one step of a task may go on, in milliseconds: what is left waits for the next round. */
const timeLimitMs = 60_000;

/**
 * Does a step of a task, and rests for as long as it took: the embedded database has one connection, and works in the
 * thread that also reads requests, so that those which came meanwhile would wait for the next step too.
 */
export async function withPauses<Result>(step: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await step();
  await rest(performance.now() - started);
  return result;
}

/** Runs a statement that writes at most `size` rows until it writes fewer. */
export async function inBatches(run: () => Promise<number>, size: number = batchSize): Promise<void> {
  const end = performance.now() + timeLimitMs;
  while ((await withPauses(run)) >= size && performance.now() < end);
}

/**
 * Does the work of a sweep for the rows that it found due, workspace by workspace: a statement that locks rows must
 * name the workspace, so that one node runs it. Returns the sum of what `work` returns.
 */
export async function inWorkspaces<Row extends { workspaceId: string }>(
  due: Row[],
  work: (workspaceId: string, rows: Row[]) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const [workspaceId, rows] of Map.groupBy(due, (row) => row.workspaceId)) sum += await work(workspaceId, rows);
  return sum;
}

/**
 * Tables whose rows expire: their primary keys besides the workspace, which are texts, and the column that says when,
 * which has an index.
 */
const expiring = {
  AuditEntry: { key: ['id'], column: 'createdAt', condition: 'true' },
  Idempotency: { key: ['caller', 'key'], column: 'expiresAt', condition: 'true' },
  OutboxEvent: { key: ['id'], column: 'createdAt', condition: 'true' },
  Turn: { key: ['id'], column: 'expiresAt', condition: `"state" <> 'open'` },
};

/** How many batches of expired rows are found at once: rows of one workspace are then deleted together. */
const batchesFound = 10;

/**
 * Deletes the rows of a table that expired up to `time`, oldest first, in batches of `size` rows of one workspace: as
 * many statements as workspaces have such rows, or as rows fill batches. Rows are found by the index of their time
 * alone, since one by workspace and time would be written with each turn. Whatever others have locked is left to the
 * next round.
 */
export async function deleteExpired(
  database: Pick<Database, '$executeRawUnsafe' | '$queryRawUnsafe'>,
  table: keyof typeof expiring,
  time: Date,
  size: number = batchSize,
): Promise<void> {
  const { key, column, condition } = expiring[table];
  const columns = key.map((name) => `"${name}"`).join(', ');
  const isExpired = `"${column}" <= $1 AND ${condition}`;
  const find = `SELECT "workspaceId", ${columns} FROM "${table}" WHERE ${isExpired} ORDER BY "${column}" LIMIT $2`;
  const given = key.map((_, index) => `$${index + 3}::text[]`).join(', ');
  const remove = `
    WITH expired AS MATERIALIZED (
      SELECT ${columns} FROM "${table}" WHERE "workspaceId" = $2 AND (${columns}) IN (SELECT * FROM unnest(${given}))
        AND ${isExpired} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM "${table}" AS old USING expired
    WHERE old."workspaceId" = $2 AND ${key.map((name) => `old."${name}" = expired."${name}"`).join(' AND ')}`;
  const end = performance.now() + timeLimitMs;
  const most = size * batchesFound;
  type Row = { workspaceId: string } & Record<string, string>;
  for (;;) {
    const due = await withPauses(() => database.$queryRawUnsafe<Row[]>(find, time, most));
    const removed = await inWorkspaces(due, async (workspaceId, rows) => {
      let count = 0;
      for (let first = 0; first < rows.length && performance.now() < end; first += size) {
        const some = rows.slice(first, first + size);
        const keys = key.map((name) => some.map((row) => row[name]));
        count += await withPauses(() => database.$executeRawUnsafe(remove, time, workspaceId, ...keys));
      }
      return count;
    });
    if (removed === 0 || due.length < most || performance.now() >= end) return;
  }
}

/**
 * Goes through a table in the order of its key, `size` rows at a time: `run` gets the key that the last piece ended at.
 */
export async function inPieces(
  run: (after: string) => Promise<[{ last: string | null; count: number }]>,
  size: number,
): Promise<void> {
  for (let after = ''; ; ) {
    const piece = after;
    const [{ last, count }] = await withPauses(() => run(piece));
    if (last === null || count < size) return;
    after = last;
  }
}

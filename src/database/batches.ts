import { setTimeout as rest } from 'node:timers/promises';
import type { Database } from './client.ts';

/** Rows that one statement of a task writes, so that no lock is held for long and requests come in between. */
export const batchSize = 500;
/** How long one step of a task may go on, in milliseconds: what is left waits for the next round. */
const timeLimitMs = 60_000;

/**
 * Does a step of a task, and rests for as long as it took: the embedded database has one connection, and works in the
 * thread that also reads requests, so that those which came meanwhile would wait for the next step too.
 */
export async function atEase<Result>(step: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await step();
  await rest(performance.now() - started);
  return result;
}

/** Runs a statement that writes at most `size` rows until it writes fewer. */
export async function inBatches(run: () => Promise<number>, size: number = batchSize): Promise<void> {
  const end = performance.now() + timeLimitMs;
  while ((await atEase(run)) >= size && performance.now() < end);
}

/** Tables whose rows expire: their primary keys, and the column that says when, which has an index. */
const expiring = {
  AuditEntry: { key: ['workspaceId', 'id'], column: 'createdAt', condition: 'true' },
  Idempotency: { key: ['workspaceId', 'caller', 'key'], column: 'expiresAt', condition: 'true' },
  OutboxEvent: { key: ['workspaceId', 'id'], column: 'createdAt', condition: 'true' },
  Turn: { key: ['workspaceId', 'id'], column: 'expiresAt', condition: `"state" <> 'open'` },
};

/** Deletes the rows of a table that expired up to `time`, oldest first, in batches. */
export function deleteExpired(
  database: Pick<Database, '$executeRawUnsafe'>,
  table: keyof typeof expiring,
  time: Date,
  size: number = batchSize,
): Promise<void> {
  const { key, column, condition } = expiring[table];
  const statement = `
    WITH expired AS MATERIALIZED (
      SELECT ${key.map((name) => `"${name}"`).join(', ')} FROM "${table}" WHERE "${column}" <= $1 AND ${condition}
      ORDER BY "${column}" LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM "${table}" AS old USING expired
    WHERE ${key.map((name) => `old."${name}" = expired."${name}"`).join(' AND ')}`;
  return inBatches(() => database.$executeRawUnsafe(statement, time, size), size);
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
    const [{ last, count }] = await atEase(() => run(piece));
    if (last === null || count < size) return;
    after = last;
  }
}

import pg from 'pg';
import type { Context } from '../../../context.ts';
import type { Idempotency } from '../../../database/generated/prisma/client.ts';
import type { IdempotentRequest, Outcome, StoredAnswer } from '../types.ts';
import { sealed, storedAnswerOf } from './answers.ts';
import { nameOf, retentionMs } from './keys.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** The connection failed during COMMIT: whether the transaction was committed is unknown. `cause` has the error. */
class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/**
 * Like `answerOnce`, for a request that writes by plain SQL on one connection: BEGIN and the claim share one message,
 * as do the stored response and COMMIT. A key costs a write two extra round trips, and a repeated request takes two in
 * all. Null, with nothing written, if `work` resolves to null or the key needs `answerOnce`. If it throws, the caller
 * rolls back; nothing was written, except perhaps for `OutcomeUnknown`.
 */
export async function answerOnceByStatements(
  client: Client,
  context: Context,
  { key, fingerprint }: IdempotentRequest,
  work: () => Promise<Outcome | null>,
): Promise<StoredAnswer | null> {
  const { viewer, now } = context;
  const { workspaceId } = viewer;
  const caller = nameOf(viewer);
  const whereKey = `"workspaceId" = ${text(workspaceId)} AND "caller" = ${text(caller)} AND "key" = ${text(key)}`;
  const row = [workspaceId, caller, key, fingerprint];
  const expiresAt = new Date(now().getTime() + retentionMs).toISOString();
  const [, claimed] = await several(
    client,
    `BEGIN; INSERT INTO "Idempotency" ("workspaceId", "caller", "key", "fingerprint", "about", "expiresAt")
     VALUES (${row.map(text).join()}, '{}', ${text(expiresAt)}) ON CONFLICT DO NOTHING`,
  );
  if (claimed?.rowCount === 0) {
    const [found] = await several<Idempotency>(client, `SELECT * FROM "Idempotency" WHERE ${whereKey}; ROLLBACK`);
    const existing = found?.rows[0];
    const isOpen = !existing || existing.expiresAt <= now() || existing.aliveUntil !== null;
    return isOpen ? null : storedAnswerOf(context, existing, fingerprint);
  }
  const outcome = await work();
  if (!outcome) {
    await client.query('ROLLBACK');
    return null;
  }
  const { answerCipher, about } = sealed(context, outcome);
  const ids = `ARRAY[${about.map(text).join()}]::text[]`;
  await commit(
    client,
    `UPDATE "Idempotency" SET "answerCipher" = ${text(answerCipher)}, "about" = ${ids} WHERE ${whereKey}; COMMIT`,
  );
  return outcome.answer;
}

async function commit(client: Client, statements: string): Promise<void> {
  try {
    const [stored, committed] = await several(client, statements);
    if (stored?.rowCount === 1 && committed?.command === 'COMMIT') return;
  } catch (cause) {
    throw new OutcomeUnknown('The commit was not answered.', { cause });
  }
  throw new Error('The transaction was rolled back.');
}

/** Sends several statements as one query string, and returns their results. */
async function several<Row extends pg.QueryResultRow>(client: Client, statements: string) {
  return (await client.query<Row>(statements)) as unknown as pg.QueryResult<Row>[];
}

const text = (value: string | null): string => (value === null ? 'NULL' : pg.escapeLiteral(value));

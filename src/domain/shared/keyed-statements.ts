import pg from 'pg';
import type { Services } from '../../context.ts';
import type { Idempotency } from '../../database/generated/prisma/client.ts';
import { nameOf, retentionMs } from './idempotency.ts';
import { sealed, storedAnswerOf } from './keyed-store.ts';
import type { Client, KeyedStatements, Outcome } from './types.ts';

export type { KeyedRequest, Outcome, StoredAnswer } from './types.ts';

/** The connection failed during COMMIT: whether the transaction was committed is unknown. `cause` has the error. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/**
 * BEGIN and the claim share one message, as do the stored response and COMMIT: a key costs a write two extra round
 * trips, and a repeated request takes two in all.
 */
export const createKeyedStatements = ({ secrets, now }: Pick<Services, 'secrets' | 'now'>): KeyedStatements => ({
  async once(client, { viewer, request }, write) {
    const { key, fingerprint } = request;
    const { workspaceId } = viewer;
    const whereKey = `"workspaceId" = ${text(workspaceId)} AND "caller" = ${text(nameOf(viewer))} AND "key" = ${text(key)}`;
    const row = [workspaceId, nameOf(viewer), key, fingerprint];
    const expiresAt = new Date(now().getTime() + retentionMs).toISOString();
    const store = (outcome: Outcome) => {
      const { answerCipher, about } = sealed({ secrets, viewer }, outcome);
      const ids = `ARRAY[${about.map(text).join()}]::text[]`;
      return `UPDATE "Idempotency" SET "answerCipher" = ${text(answerCipher)}, "about" = ${ids} WHERE ${whereKey}; COMMIT`;
    };
    const [, claimed] = await several(
      client,
      `BEGIN; INSERT INTO "Idempotency" ("workspaceId", "caller", "key", "fingerprint", "about", "expiresAt")
       VALUES (${row.map(text).join()}, '{}', ${text(expiresAt)}) ON CONFLICT DO NOTHING`,
    );
    if (claimed?.rowCount === 0) {
      const [found] = await several<Idempotency>(client, `SELECT * FROM "Idempotency" WHERE ${whereKey}; ROLLBACK`);
      const existing = found?.rows[0];
      const isOpen = !existing || existing.expiresAt <= now() || existing.aliveUntil !== null;
      return isOpen ? null : storedAnswerOf({ secrets, viewer }, existing, fingerprint);
    }
    const outcome = await write();
    if (outcome) await commit(client, store(outcome));
    else await client.query('ROLLBACK');
    return outcome && outcome.answer;
  },
});

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

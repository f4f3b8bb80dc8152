import { randomUUID } from 'node:crypto';
import { type ClientBase, escapeLiteral, type QueryResult } from 'pg';
import type { Context } from '../../../context.ts';
import { type Transaction, transact } from '../../../database/client.ts';
import { inBackground, withoutDeadline } from '../../../database/deadline.ts';
import { FinalTransaction } from '../../../database/final-transaction.ts';
import { inTransaction } from '../../../database/in-transaction.ts';
import type { IdempotentRequest, Outcome, StoredAnswer } from '../types.ts';
import { claimedByOther } from './answers.ts';
import { answerOnce, type Claim, leaseEnd, leaseMs, type Send, type Value, whereHeld } from './requests.ts';

type Client = Pick<ClientBase, 'query'>;
type Work = (context: Context) => Promise<Outcome>;

/** At least as long as the longest operation may take. */
const timeoutMs = 15 * 60_000;

/** Runs a request once, in one transaction. */
export async function inOneTransaction(
  context: Context,
  request: IdempotentRequest,
  work: Work,
): Promise<StoredAnswer> {
  // The queue opens a store of its own, and must not do so while this transaction waits for it.
  await context.queue.open();
  return transact(
    context.database,
    (tx) => {
      const inside = { ...inTransaction(context, tx), idempotencyKey: request.key };
      return answerOnce(inside, request, {
        holder: null,
        ...keysBy(tx),
        work: () => work(inside),
        commit: (store) => store(sendBy(tx)),
      });
    },
    { savepoints: true, timeoutMs, once: true },
  );
}

/**
 * Runs a request once that awaits something outside the database, which must not happen in a transaction. As for a
 * turn: the key is claimed first, and the last writes of `work` are stored with the response.
 */
export async function inTwoTransactions(
  context: Context,
  request: IdempotentRequest,
  work: Work,
): Promise<StoredAnswer> {
  const finalTransaction = new FinalTransaction();
  let release = async (): Promise<unknown> => null;
  let stop = () => {};
  try {
    return await answerOnce(context, request, {
      holder: randomUUID(),
      ...keysBy(context.database),
      work: (claim) => {
        stop = renewLease(context, claim);
        release = () => releaseClaim(context, claim);
        return work(finalTransaction.follow({ ...context, idempotencyKey: request.key, finalTransaction }));
      },
      commit: (store) => finalTransaction.end(context, (tx) => store(sendBy(tx))),
      rollback: async (error) => {
        await finalTransaction.abandon(error);
        await release();
      },
    });
  } finally {
    stop();
  }
}

/** The connection failed during COMMIT, or the key was lost before: what was written may be kept. */
class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/**
 * Runs a request once that writes by plain SQL on one connection: BEGIN and the claim share one message, as do the
 * stored response and COMMIT. A key costs a write two extra round trips, and a repeated request takes two in all. If it
 * throws, the caller rolls back; nothing was written, except perhaps for `OutcomeUnknown`.
 */
export const inStatements = (
  client: Client,
  context: Context,
  request: IdempotentRequest,
  work: () => Promise<Outcome>,
): Promise<StoredAnswer> =>
  answerOnce(context, request, {
    holder: null,
    looksFirst: false,
    claim: async (...sent) => (await several(client, `BEGIN; ${inlined(...sent)}`))[1]?.rows ?? [],
    find: async (...sent) => (await several(client, `${inlined(...sent)}; ROLLBACK`))[0]?.rows ?? [],
    work,
    commit: (store) => store((...sent) => commit(client, inlined(...sent))),
  });

async function commit(client: Client, statement: string): Promise<unknown[]> {
  const results = await several(client, `${statement}; COMMIT`).catch((cause: unknown) => {
    throw new OutcomeUnknown('The commit was not answered.', { cause });
  });
  const [stored, end] = results;
  if (end?.command !== 'COMMIT') throw new Error('The transaction was rolled back.');
  if (!stored?.rowCount) throw new OutcomeUnknown('The response was not stored.', { cause: claimedByOther() });
  return stored.rows;
}

/** Several statements that are sent as one cannot have parameters. */
const inlined: (...sent: Parameters<Send>) => string = (statement, values) =>
  statement.replaceAll(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1] ?? null));

const literal = (value: Value): string => {
  if (value === null) return 'NULL';
  return Array.isArray(value) ? `ARRAY[${value.map(literal).join()}]` : escapeLiteral(value);
};

/** Sends several statements as one query string, and returns their results. */
const several = async (client: Client, statements: string) =>
  (await client.query(statements)) as unknown as QueryResult[];

type Store = Pick<Transaction, '$queryRawUnsafe'>;

const keysBy = (store: Store) => ({ looksFirst: true, claim: sendBy(store), find: sendBy(store) });

const sendBy =
  (store: Store): Send =>
  (statement, values) =>
    store.$queryRawUnsafe<unknown[]>(statement, ...values);

/** Renews the lease of a claim until the returned function is called. */
function renewLease({ database, log }: Context, claim: Claim): () => void {
  const held = whereHeld(claim, 1);
  const renew = () =>
    database
      .$executeRawUnsafe(`UPDATE "Idempotency" SET "aliveUntil" = ${leaseEnd} WHERE ${held.text}`, ...held.values)
      .catch((error: unknown) => log.warn({ err: error }, 'the lease of an Idempotency-Key was not renewed'));
  // In the background, so that these queries do not count towards the request's deadline.
  const timer = inBackground(() => setInterval(() => void renew(), leaseMs / 5));
  timer.unref();
  return () => clearInterval(timer);
}

/** Releases the key of a failed request. */
const releaseClaim = ({ database, log }: Context, claim: Claim): Promise<unknown> =>
  withoutDeadline(() => database.idempotency.deleteMany({ where: { ...claim, answerCipher: null } })).catch(
    (cause: unknown) => {
      log.warn({ err: cause }, 'an Idempotency-Key could not be released; it is free when its lease expires');
    },
  );

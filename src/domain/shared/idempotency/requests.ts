import { randomUUID } from 'node:crypto';
import type { Context } from '../../../context.ts';
import { transact } from '../../../database/client.ts';
import { inBackground, withoutDeadline } from '../../../database/deadline.ts';
import { FinalTransaction } from '../../../database/final-transaction.ts';
import { inTransaction } from '../../../database/in-transaction.ts';
import type { IdempotentRequest, Outcome, StoredAnswer } from '../types.ts';
import { type Claim, claimRequest, leaseMs, releaseClaim, storeAnswer } from './answers.ts';

type Once = {
  /** Whether it awaits something outside the database, which must not happen in a transaction. */
  isSplit: boolean;
  /** Runs the request in the given context. If it throws, nothing is stored. */
  work: (context: Context) => Promise<Outcome>;
};

/** At least as long as the longest operation may take. */
const timeoutMs = 15 * 60_000;

/**
 * Runs a request once: repeated within 24 hours, it gets the same response. Its writes, the response and the key are
 * stored together or not at all, and a failed request leaves its key free. Throws what `work` throws, 409
 * `request_in_progress`, 409 `conflict` and 422 `idempotency_key_reused`.
 */
export const answerOnce = (
  context: Context,
  request: IdempotentRequest,
  { isSplit, work }: Once,
): Promise<StoredAnswer> =>
  isSplit ? inTwoTransactions(context, request, work) : inOneTransaction(context, request, work);

async function inOneTransaction(
  context: Context,
  request: IdempotentRequest,
  work: Once['work'],
): Promise<StoredAnswer> {
  // The queue opens a store of its own, and must not do so while this transaction waits for it.
  await context.queue.open();
  return transact(
    context.database,
    async (tx) => {
      const inside = { ...inTransaction(context, tx), idempotencyKey: request.key };
      const { claim, answer } = await claimRequest(inside, request, null);
      if (!claim) return answer;
      const outcome = await work(inside);
      await storeAnswer(inside, claim, outcome);
      return outcome.answer;
    },
    { savepoints: true, timeoutMs, once: true },
  );
}

/**
 * As for a turn: claims the key in a transaction of its own, runs the work, and stores its last writes with the
 * response.
 */
async function inTwoTransactions(
  context: Context,
  request: IdempotentRequest,
  work: Once['work'],
): Promise<StoredAnswer> {
  const { claim, answer } = await claimRequest(context, request, randomUUID());
  if (!claim) return answer;
  const finalTransaction = new FinalTransaction();
  const stop = renewLease(context, claim);
  try {
    const outcome = await work(finalTransaction.follow({ ...context, idempotencyKey: request.key, finalTransaction }));
    await finalTransaction.end(context, (tx) => storeAnswer(inTransaction(context, tx), claim, outcome));
    return outcome.answer;
  } catch (error) {
    await finalTransaction.abandon(error);
    await withoutDeadline(() => releaseClaim(context, claim)).catch((cause: unknown) => {
      context.log.warn({ err: cause }, 'an Idempotency-Key could not be released; it is free when its lease expires');
    });
    throw error;
  } finally {
    stop();
  }
}

/** Renews the lease of a claim until the returned function is called. */
function renewLease({ database, log }: Context, { workspaceId, caller, key, holder }: Claim): () => void {
  const sign = () => database.$executeRaw`
    UPDATE "Idempotency" SET "aliveUntil" = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
    WHERE "workspaceId" = ${workspaceId} AND "caller" = ${caller} AND "key" = ${key} AND "holder" = ${holder}`;
  const renew = () =>
    sign().catch((error: unknown) => log.warn({ err: error }, 'the lease of an Idempotency-Key was not renewed'));
  // In the background, so that these queries do not count towards the request's deadline.
  const timer = inBackground(() => setInterval(() => void renew(), leaseMs / 5));
  timer.unref();
  return () => clearInterval(timer);
}

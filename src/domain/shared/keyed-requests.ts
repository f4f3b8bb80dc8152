import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import { transact } from '../../database/client.ts';
import { inBackground, withoutDeadline } from '../../database/deadline.ts';
import { Ending } from '../../database/ending.ts';
import { within } from '../../database/within.ts';
import { aliveMs, type Claim, claimRequest, keepAnswer, releaseClaim } from './keyed-store.ts';
import type { KeyedRequest, Made, StoredAnswer } from './types.ts';

export type { KeyedRequest, Made, StoredAnswer } from './types.ts';

type Keyed = {
  /** Whether it awaits something outside the database, which must not happen in a transaction. */
  waits: boolean;
  /** Runs the request in the given context. If it throws, nothing is stored. */
  work: (context: Context) => Promise<Made>;
};

/** At least as long as the longest operation may take. */
const longestMs = 15 * 60_000;

/**
 * Runs a request once: repeated within 24 hours, it gets the same response. Its writes, the response and the key are
 * stored together or not at all, and a failed request leaves its key free. Throws what `work` throws, 409
 * `request_in_progress`, 409 `conflict` and 422 `idempotency_key_reused`.
 */
export const answerOnce = (context: Context, request: KeyedRequest, { waits, work }: Keyed): Promise<StoredAnswer> =>
  waits ? aroundTheWait(context, request, work) : inOneTransaction(context, request, work);

async function inOneTransaction(context: Context, request: KeyedRequest, work: Keyed['work']): Promise<StoredAnswer> {
  // The queue opens a store of its own, and must not do so while this transaction waits for it.
  await context.queue.open();
  return transact(
    context.database,
    async (tx) => {
      const inside = { ...within(context, tx), keyed: { key: request.key } };
      const { claim, answer } = await claimRequest(inside, request, null);
      if (!claim) return answer;
      const made = await work(inside);
      await keepAnswer(inside, claim, made);
      return made.answer;
    },
    { savepoints: true, timeoutMs: longestMs, once: true },
  );
}

/**
 * As for a turn: claims the key in a transaction of its own, runs the work, and stores its last writes with the
 * response.
 */
async function aroundTheWait(context: Context, request: KeyedRequest, work: Keyed['work']): Promise<StoredAnswer> {
  const { claim, answer } = await claimRequest(context, request, randomUUID());
  if (!claim) return answer;
  const ending = new Ending();
  const stop = showLife(context, claim);
  try {
    const made = await work({ ...context, keyed: { key: request.key, ending } });
    await ending.end(context, (tx) => keepAnswer(within(context, tx), claim, made));
    return made.answer;
  } catch (error) {
    await ending.abandon(error);
    await withoutDeadline(() => releaseClaim(context, claim)).catch((cause: unknown) => {
      context.log.warn({ err: cause }, 'an Idempotency-Key could not be released; it is free when its lease expires');
    });
    throw error;
  } finally {
    stop();
  }
}

/** Renews the lease of a claim until the returned function is called. */
function showLife({ database, log }: Context, { caller, key, holder }: Claim): () => void {
  const sign = () => database.$executeRaw`
    UPDATE "Idempotency" SET "aliveUntil" = clock_timestamp() + ${aliveMs} * interval '1 millisecond'
    WHERE "caller" = ${caller} AND "key" = ${key} AND "holder" = ${holder}`;
  const renew = () =>
    sign().catch((error: unknown) => log.warn({ err: error }, 'the lease of an Idempotency-Key was not renewed'));
  // In the background, so that these queries do not count towards the request's deadline.
  const timer = inBackground(() => setInterval(() => void renew(), aliveMs / 5));
  timer.unref();
  return () => clearInterval(timer);
}

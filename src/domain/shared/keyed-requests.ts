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
  /** Whether it waits for something outside the database, which no transaction may do. */
  waits: boolean;
  /** Carries the request out in the context that it is given. When it throws, nothing of it is kept. */
  work: (context: Context) => Promise<Made>;
};

/** As long as the longest of all operations may take. */
const longestMs = 15 * 60_000;

/**
 * Carries a request out once: a repetition within 24 hours is answered what it was answered the first time. What it
 * writes, its answer and its key are kept together or not at all, and a request that fails leaves its key free. Throws what
 * `work` throws, 409 `request_in_progress`, 409 `conflict` and 422 `idempotency_key_reused`.
 */
export const answerOnce = (context: Context, request: KeyedRequest, { waits, work }: Keyed): Promise<StoredAnswer> =>
  waits ? aroundTheWait(context, request, work) : inOneTransaction(context, request, work);

async function inOneTransaction(context: Context, request: KeyedRequest, work: Keyed['work']): Promise<StoredAnswer> {
  // The queue opens a store of its own, which cannot wait for a transaction that waits for the queue.
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

/** Like a turn: the key is taken for all to see, the work is done, and what it writes at its end is kept with the answer. */
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
      context.log.warn({ err: cause }, 'an Idempotency-Key is free only when its lease is over');
    });
    throw error;
  } finally {
    stop();
  }
}

/** Says again and again that this process lives, until it is told to stop. */
function showLife({ database, log }: Context, { caller, key, holder }: Claim): () => void {
  const sign = () => database.$executeRaw`
    UPDATE "Idempotency" SET "aliveUntil" = clock_timestamp() + ${aliveMs} * interval '1 millisecond'
    WHERE "caller" = ${caller} AND "key" = ${key} AND "holder" = ${holder}`;
  const renew = () =>
    sign().catch((error: unknown) => log.warn({ err: error }, 'the lease of an Idempotency-Key was not renewed'));
  // The time that it waits for the database is not the request's.
  const timer = inBackground(() => setInterval(() => void renew(), aliveMs / 5));
  timer.unref();
  return () => clearInterval(timer);
}

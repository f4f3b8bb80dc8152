import { createHash } from 'node:crypto';
import type { Context } from '../context.ts';
import { ParleyError } from '../errors.ts';

const keptMs = 24 * 60 * 60 * 1000;
/** A request may wait half a minute for its turn and then for as long as the lease of the turn. */
export const claimMsOf = ({ config }: Pick<Context, 'config'>): number => config.modelTimeoutMs + 60_000;

/** A request that is known by its key: what became of it so far. */
export type Claim = {
  key: string;
  /** When it ends by itself, which also tells the tries apart. */
  until: Date;
  /** The conversation that already holds the caller's messages, when an earlier try stored them and then failed. */
  conversationId: string | null;
  /** The messages that answered, when the request is a repetition of one that was answered. */
  answer: { conversationId: string; messageIds: string[] } | null;
};

/**
 * Claims an Idempotency-Key for this request. Throws 422 `idempotency_key_reused` when the key came with another
 * request, and 409 `request_in_progress` while the first one is still worked on.
 */
export async function claimKey(context: Context, key: string, request: unknown): Promise<Claim> {
  const { database, viewer, now } = context;
  const id = { workspaceId_key: { workspaceId: viewer.workspaceId, key } };
  const fingerprint = fingerprintOf(request);
  const time = now();
  const until = later(time, claimMsOf(context));
  const fresh = { fingerprint, claimedUntil: until, expiresAt: later(time, keptMs) };
  await database.idempotency.deleteMany({ where: { workspaceId: viewer.workspaceId, expiresAt: { lte: time } } });
  const made = await database.idempotency.createMany({
    data: [{ workspaceId: viewer.workspaceId, key, ...fresh }],
    skipDuplicates: true,
  });
  if (made.count === 1) return { key, until, conversationId: null, answer: null };

  const known = await database.idempotency.findUniqueOrThrow({ where: id });
  if (known.fingerprint !== fingerprint) {
    throw new ParleyError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another request. Use a new key.',
    );
  }
  if (known.answered && known.conversationId) {
    return {
      key,
      until,
      conversationId: known.conversationId,
      answer: { conversationId: known.conversationId, messageIds: known.messageIds },
    };
  }
  const taken = await database.idempotency.updateMany({
    where: {
      workspaceId: viewer.workspaceId,
      key,
      answered: false,
      OR: [{ claimedUntil: null }, { claimedUntil: { lte: time } }],
    },
    data: { claimedUntil: until },
  });
  if (taken.count === 1) return { key, until, conversationId: known.conversationId, answer: null };
  throw new ParleyError('request_in_progress', 'The request with this Idempotency-Key is still being worked on.', {
    headers: { 'retry-after': '2' },
  });
}

/**
 * Lets the request be tried again after a failure. What it stored is remembered and not stored again; one that stored
 * nothing leaves no trace, so that its key may come back with a corrected body.
 */
export async function releaseKey({ database, viewer }: Context, { key, until }: Claim): Promise<void> {
  // Only our own claim is given up: it may have run out and be another try's by now.
  const where = { workspaceId: viewer.workspaceId, key, answered: false, claimedUntil: until };
  await database.idempotency.deleteMany({ where: { ...where, conversationId: null } });
  await database.idempotency.updateMany({ where, data: { claimedUntil: null } });
}

/** The same for requests that say the same. */
export const fingerprintOf = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

const later = (time: Date, ms: number) => new Date(time.getTime() + ms);

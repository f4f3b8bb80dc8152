import type { Context } from '../../context.ts';
import { conflict, ParleyError } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Idempotency, Prisma } from '../../database/generated/prisma/client.ts';
import { inProgress, keptMs, nameOf, namesOf, reused, unanswered } from './idempotency.ts';
import type { KeyedRequest, Made, StoredAnswer } from './types.ts';

/**
 * A claimed key. `holder`: the attempt that awaits something outside the database; null if the whole request is one
 * transaction.
 */
export type Claim = { caller: string; key: string; holder: string | null };
/** Either the stored response, or a claim to carry the request out. */
export type Claimed = { answer: StoredAnswer; claim?: undefined } | { claim: Claim; answer?: undefined };

/** Lease of a claim, in milliseconds. */
export const aliveMs = 15_000;

/**
 * Claims a key, or returns the stored response. Waits for a transaction that claims the same key. Throws 409
 * `request_in_progress`, 409 `conflict` if the response was erased, and 422 `idempotency_key_reused`.
 */
export async function claimRequest(context: Context, request: KeyedRequest, holder: string | null): Promise<Claimed> {
  const { database, viewer, now } = context;
  const { key, fingerprint } = request;
  const caller = nameOf(viewer);
  const fresh = {
    ...unanswered,
    fingerprint,
    holder,
    turnId: null,
    aliveUntil: holder === null ? null : new Date((await context.leaseTime()).getTime() + aliveMs),
    expiresAt: new Date(now().getTime() + keptMs),
  };
  for (;;) {
    const known = await database.idempotency.findFirst({ where: { caller: { in: namesOf(viewer) }, key } });
    if (!known) {
      const row = { workspaceId: viewer.workspaceId || null, caller, key, ...fresh };
      const made = await database.idempotency.createMany({ data: [row], skipDuplicates: true });
      if (made.count === 1) return { claim: { caller, key, holder } };
      continue;
    }
    const last = await overOf(context, known);
    if (!last) return { answer: answerIn(context, known, fingerprint) };
    const where = { caller: known.caller, key, ...last };
    const taken = await database.idempotency.updateMany({ where, data: fresh });
    if (taken.count === 1) return { claim: { caller: known.caller, key, holder } };
  }
}

/** Stores the response of a claim. Throws 503 if its lease expired and another attempt has claimed the key. */
export async function keepAnswer(context: Context, claim: Claim, made: Made): Promise<void> {
  const data = { ...unanswered, ...sealed(context, made) };
  const { count } = await context.database.idempotency.updateMany({ where: claim, data });
  if (count === 0) throw takenOver();
}

/** A response in its stored form. */
export function sealed({ secrets, viewer }: Shown, { answer, about }: Made) {
  const stored: Sealed = { as: standingOf(viewer), answer };
  // Erasing the person who received the response must erase the response, too.
  const whom = [...new Set([...about, ...(viewer.userId ? [viewer.userId] : [])])];
  return { answerCipher: secrets.encrypt(JSON.stringify(stored)), about: whom };
}

/** Releases the key of a failed request. */
export async function releaseClaim({ database }: Context, claim: Claim): Promise<void> {
  await database.idempotency.deleteMany({ where: { ...claim, answerCipher: null } });
}

/**
 * The condition under which a key may be claimed again: it, or the lease of its attempt, has expired. Null if neither
 * has.
 */
async function overOf({ now, leaseTime }: Context, known: Idempotency): Promise<Prisma.IdempotencyWhereInput | null> {
  if (known.expiresAt <= now()) return { expiresAt: { lte: now() } };
  if (!known.aliveUntil) return null;
  const time = await leaseTime();
  return known.aliveUntil <= time ? { holder: known.holder, aliveUntil: { lte: time } } : null;
}

/** Returns the stored response. Throws the reason if there is none for this request. */
export function answerIn({ secrets, viewer }: Shown, known: Idempotency, fingerprint: string): StoredAnswer {
  const { answerCipher, aliveUntil, turnId } = known;
  const isErased = answerCipher === null && aliveUntil === null && turnId === null;
  if (isErased)
    throw conflict(
      'The request with this Idempotency-Key was carried out, but its response was erased together with the person in it.',
    );
  if (known.fingerprint !== fingerprint || turnId !== null) throw reused();
  if (answerCipher === null) throw inProgress();
  const { as, answer } = JSON.parse(secrets.decrypt(answerCipher)) as Sealed;
  // An invitee becomes a member by accepting.
  if (as !== standingOf(viewer) && !as.startsWith('invited')) {
    throw new ParleyError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another role or another kind of token, which may see different data. Use a new key.',
    );
  }
  return answer;
}

/** The viewer who receives the response. */
type Shown = Pick<Context, 'secrets' | 'viewer'>;

/** `as`: the role and kind of credentials that the response was made for. */
type Sealed = { as: string; answer: StoredAnswer };

const standingOf = ({ role, credential }: Viewer): string => `${role} ${credential}`;

const takenOver = (): ParleyError =>
  new ParleyError('unavailable', 'The request took too long and was abandoned. Send it again with the same key.', {
    headers: { 'retry-after': '1' },
  });

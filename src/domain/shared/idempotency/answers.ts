import type { Context } from '../../../context.ts';
import { conflict, ParleyError } from '../../../core/errors.ts';
import type { Viewer } from '../../../core/viewer.ts';
import type { Idempotency, Prisma } from '../../../database/generated/prisma/client.ts';
import type { IdempotentRequest, Outcome, StoredAnswer } from '../types.ts';
import { inProgress, keysOf, nameOf, retentionMs, reused, unanswered } from './keys.ts';

/**
 * A claimed key. `holder`: the attempt that awaits something outside the database; null if the whole request is one
 * transaction.
 */
export type Claim = { workspaceId: string; caller: string; key: string; holder: string | null };
/** Either the stored response, or a claim to carry the request out. */
type Claimed = { answer: StoredAnswer; claim?: undefined } | { claim: Claim; answer?: undefined };

/** Lease of a claim, in milliseconds. */
export const leaseMs = 15_000;

/**
 * Claims a key, or returns the stored response. Waits for a transaction that claims the same key. Throws 409
 * `request_in_progress`, 409 `conflict` if the response was erased, and 422 `idempotency_key_reused`.
 */
export async function claimRequest(
  context: Context,
  request: IdempotentRequest,
  holder: string | null,
): Promise<Claimed> {
  const { database, viewer, now } = context;
  const { key, fingerprint } = request;
  const { workspaceId } = viewer;
  const caller = nameOf(viewer);
  const values = {
    ...unanswered,
    fingerprint,
    holder,
    turnId: null,
    aliveUntil: holder === null ? null : new Date((await context.leaseTime()).getTime() + leaseMs),
    expiresAt: new Date(now().getTime() + retentionMs),
  };
  for (;;) {
    const existing = await database.idempotency.findFirst({ where: { ...keysOf(viewer), key } });
    if (!existing) {
      if (await insertKey(database, { workspaceId, caller, key, ...values })) {
        return { claim: { workspaceId, caller, key, holder } };
      }
      continue;
    }
    const expired = await expiredWhere(context, existing);
    if (!expired) return { answer: storedAnswerOf(context, existing, fingerprint) };
    const claimed = { workspaceId: existing.workspaceId, caller: existing.caller, key };
    const where = { ...claimed, ...expired };
    const updated = await database.idempotency.updateMany({ where, data: values });
    if (updated.count === 1) return { claim: { ...claimed, holder } };
  }
}

/** Stores the row of a key, unless there is one. Waits for a transaction that stores one and has not ended. */
export async function insertKey(
  { idempotency }: Pick<Context['database'], 'idempotency'>,
  row: Prisma.IdempotencyCreateManyInput,
): Promise<boolean> {
  const { count } = await idempotency.createMany({ data: [row], skipDuplicates: true });
  return count === 1;
}

/** Stores the response of a claim. Throws 503 if its lease expired and another attempt has claimed the key. */
export async function storeAnswer(context: Context, claim: Claim, inserted: Outcome): Promise<void> {
  const data = { ...unanswered, ...sealed(context, inserted) };
  const { count } = await context.database.idempotency.updateMany({ where: claim, data });
  if (count === 0) throw claimedByOther();
}

/** A response in its stored form. */
export function sealed({ secrets, viewer }: AnswerReader, { answer, personIds }: Outcome) {
  const stored: Sealed = { as: accessOf(viewer), answer };
  // Erasing the person who received the response must erase the response, too.
  const about = [...new Set([...personIds, ...(viewer.userId ? [viewer.userId] : [])])];
  return { answerCipher: secrets.encrypt(JSON.stringify(stored)), about };
}

/** Releases the key of a failed request. */
export async function releaseClaim({ database }: Context, claim: Claim): Promise<void> {
  await database.idempotency.deleteMany({ where: { ...claim, answerCipher: null } });
}

/**
 * The condition under which a key may be claimed again: it, or the lease of its attempt, has expired. Null if neither
 * has.
 */
async function expiredWhere(
  { now, leaseTime }: Context,
  existing: Idempotency,
): Promise<Prisma.IdempotencyWhereInput | null> {
  if (existing.expiresAt <= now()) return { expiresAt: { lte: now() } };
  if (!existing.aliveUntil) return null;
  const time = await leaseTime();
  return existing.aliveUntil <= time ? { holder: existing.holder, aliveUntil: { lte: time } } : null;
}

/** Returns the stored response. Throws the reason if there is none for this request. */
export function storedAnswerOf(
  { secrets, viewer }: AnswerReader,
  existing: Idempotency,
  fingerprint: string,
): StoredAnswer {
  const { answerCipher, aliveUntil, turnId } = existing;
  const isErased = answerCipher === null && aliveUntil === null && turnId === null;
  if (isErased)
    throw conflict(
      'The request with this Idempotency-Key was carried out, but its response was erased together with the person in it.',
    );
  if (existing.fingerprint !== fingerprint || turnId !== null) throw reused();
  if (answerCipher === null) throw inProgress();
  const { as, answer } = JSON.parse(secrets.decrypt(answerCipher)) as Sealed;
  // An invitee becomes a member by accepting.
  if (as !== accessOf(viewer) && !as.startsWith('invited')) {
    throw new ParleyError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another role or another kind of token, which may see different data. Use a new key.',
    );
  }
  return answer;
}

/** The viewer who receives the response. */
type AnswerReader = Pick<Context, 'secrets' | 'viewer'>;

/** `as`: the role and kind of credentials that the response was made for. */
type Sealed = { as: string; answer: StoredAnswer };

const accessOf = ({ role, credential }: Viewer): string => `${role} ${credential}`;

const claimedByOther = (): ParleyError =>
  new ParleyError(
    'unavailable',
    'The request took too long and was abandoned. Send it again with the same Idempotency-Key.',
    {
      headers: { 'retry-after': '1' },
    },
  );

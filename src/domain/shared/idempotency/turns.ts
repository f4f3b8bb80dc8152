import type { Context } from '../../../context.ts';
import type { Transaction } from '../../../database/client.ts';
import type { Turn } from '../../../database/generated/prisma/client.ts';
import { keysOf, nameOf, retentionMs, reused } from './keys.ts';

/** Another attempt has claimed the key since it was looked up: look again. Never shown to a caller. */
export class IdempotencyKeyTaken extends Error {
  override name = 'IdempotencyKeyTaken';
}

/**
 * Returns the latest attempt at a request with this key; null if there is none or it has expired. Throws 422
 * `idempotency_key_reused` if the key was used with another request.
 */
export async function findAttemptByKey(context: Context, key: string, fingerprint: string): Promise<Turn | null> {
  const { database, viewer, now } = context;
  const { workspaceId } = viewer;
  const existing = await database.idempotency.findFirst({ where: { ...keysOf(viewer), key } });
  if (!existing || existing.expiresAt <= now()) return null;
  if (existing.fingerprint !== fingerprint || !existing.turnId) throw reused();
  return database.turn.findUnique({ where: { workspaceId_id: { workspaceId, id: existing.turnId } } });
}

type Claim = { key: string; fingerprint: string; turnId: string };

/** The row of a key that a turn claims. */
export const keyRow = ({ viewer, now }: Context, claim: Claim) => ({
  workspaceId: viewer.workspaceId,
  caller: nameOf(viewer),
  ...claim,
  answerCipher: null,
  about: [],
  holder: null,
  aliveUntil: null,
  createdAt: now(),
  expiresAt: new Date(now().getTime() + retentionMs),
});

/** Makes a turn the latest attempt at its request, after `earlier`, which failed. Throws `IdempotencyKeyTaken`. */
export async function claimKey(context: Context, tx: Transaction, claim: Claim, earlier: Turn | null): Promise<void> {
  const { viewer, now } = context;
  const { key, turnId } = claim;
  if (earlier) {
    const where = { ...keysOf(viewer), key, turnId: earlier.id };
    if ((await tx.idempotency.updateMany({ where, data: { turnId } })).count === 0) throw new IdempotencyKeyTaken();
    return;
  }
  const row = keyRow(context, claim);
  if ((await tx.idempotency.createMany({ data: [row], skipDuplicates: true })).count === 1) return;
  const { workspaceId, caller, key: _, ...values } = row;
  const replaced = await tx.idempotency.updateMany({
    where: { workspaceId, caller, key, expiresAt: { lte: now() } },
    data: values,
  });
  if (replaced.count === 0) throw new IdempotencyKeyTaken();
}

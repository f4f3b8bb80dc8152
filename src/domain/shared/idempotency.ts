import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';

/** How long a key and its turn are kept, in milliseconds. */
export const retentionMs = 24 * 60 * 60 * 1000;

/** Another attempt has claimed the key since it was looked up: look again. Never shown to a caller. */
export class IdempotencyKeyTaken extends Error {
  override name = 'IdempotencyKeyTaken';
}

type Owner = Pick<Viewer, 'workspaceId'> & Partial<Pick<Viewer, 'userId' | 'key' | 'appId' | 'visitor' | 'invitee'>>;

/**
 * The owner of the viewer's idempotency keys: a user, an API key, an app, a user through an app, or a visitor. It stays
 * the same when a token is replaced.
 */
export function nameOf({ workspaceId, userId, key, appId, visitor, invitee }: Owner): string {
  if (workspaceId === '' && invitee) return nameOfInvitee(invitee);
  const visiting = visitor && `${visitor.channelId}/${visitor.id}`;
  return [workspaceId, userId ?? key?.id, appId, visiting].map((id) => id ?? '').join('|');
}

/**
 * All owners that the viewer's keys may have: also from before they accepted an invitation, and from older versions.
 */
const namesOf = (viewer: Viewer): string[] => [
  nameOf(viewer),
  ...(viewer.invitee ? [nameOfInvitee(viewer.invitee)] : []),
  ...(viewer.workspaceId ? [viewer.workspaceId] : []),
];

/** The rows of the viewer's keys: also of workspace '', where an invitee who belongs to no workspace has theirs. */
export const keysOf = (viewer: Viewer) => ({
  workspaceId: { in: [...new Set([viewer.workspaceId, ...(viewer.invitee ? [''] : [])])] },
  caller: { in: namesOf(viewer) },
});

/** Hashed, so that the email address is not stored in readable form. */
const nameOfInvitee = (invitee: NonNullable<Viewer['invitee']>): string => `invited|${fingerprintOf(invitee)}`;

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

/** 422: a key belongs to one request. */
export const reused = (): ParleyError =>
  new ParleyError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used with a different request. Use a new key.',
  );

/** 409: the first request with this key is still running. */
export const inProgress = (): ParleyError =>
  new ParleyError('request_in_progress', 'The request with this Idempotency-Key is still in progress.', {
    headers: { 'retry-after': '2' },
  });

/** Makes a turn the latest attempt at its request, after `earlier`, which failed. Throws `IdempotencyKeyTaken`. */
export async function claimKey(
  { viewer, now }: Context,
  tx: Transaction,
  claim: { key: string; fingerprint: string; turnId: string },
  earlier: Turn | null,
): Promise<void> {
  const { workspaceId } = viewer;
  const { key, turnId } = claim;
  const caller = nameOf(viewer);
  if (earlier) {
    const where = { ...keysOf(viewer), key, turnId: earlier.id };
    if ((await tx.idempotency.updateMany({ where, data: { turnId } })).count === 0) throw new IdempotencyKeyTaken();
    return;
  }
  const values = { ...claim, ...unanswered, expiresAt: new Date(now().getTime() + retentionMs) };
  // Waits for a concurrent transaction that claims the same key, and inserts nothing if that commits.
  const inserted = await tx.idempotency.createMany({
    data: [{ workspaceId, caller, ...values }],
    skipDuplicates: true,
  });
  if (inserted.count === 1) return;
  const replaced = await tx.idempotency.updateMany({
    where: { workspaceId, caller, key, expiresAt: { lte: now() } },
    data: values,
  });
  if (replaced.count === 0) throw new IdempotencyKeyTaken();
}

/** The columns of a key that is claimed and has no response yet. */
export const unanswered = { answerCipher: null, about: [], holder: null, aliveUntil: null };

/** Equal for requests with equal content. */
export const fingerprintOf = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

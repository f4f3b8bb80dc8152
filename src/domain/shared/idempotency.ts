import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';

/** How long a key, and the turn that it names, are known. */
export const keptMs = 24 * 60 * 60 * 1000;

/** Another try has taken the key since it was looked for: look again. Never shown to a caller. */
export class IdempotencyKeyTaken extends Error {
  override name = 'KeyTaken';
}

/** Whose keys the bearer's are, by whichever token they come: a user's, a key's, an app's, a user's by an app, or a visitor's. */
export function nameOf({ workspaceId, userId, key, appId, visitor, invitee }: Viewer): string {
  if (workspaceId === '' && invitee) return nameOfInvitee(invitee);
  const visiting = visitor && `${visitor.channelId}/${visitor.id}`;
  return [workspaceId, userId ?? key?.id, appId, visiting].map((id) => id ?? '').join('|');
}

/** The same with the names that keys of theirs may have besides: of before they were a member, and of older versions. */
export const namesOf = (viewer: Viewer): string[] => [
  nameOf(viewer),
  ...(viewer.invitee ? [nameOfInvitee(viewer.invitee)] : []),
  ...(viewer.workspaceId ? [viewer.workspaceId] : []),
];

/** An email is nobody's to read. */
const nameOfInvitee = (invitee: NonNullable<Viewer['invitee']>): string => `invited|${fingerprintOf(invitee)}`;

/**
 * The last try of a request that came with this key; null when there is none to know of. Throws 422
 * `idempotency_key_reused` when the key came with another request.
 */
export async function findTry(context: Context, key: string, fingerprint: string): Promise<Turn | null> {
  const { database, viewer, now } = context;
  const { workspaceId } = viewer;
  const known = await database.idempotency.findFirst({ where: { caller: { in: namesOf(viewer) }, key } });
  if (!known || known.expiresAt <= now()) return null;
  if (known.fingerprint !== fingerprint || !known.turnId) throw reused();
  return database.turn.findUnique({ where: { workspaceId_id: { workspaceId, id: known.turnId } } });
}

/** 422: a key names one request. */
export const reused = (): ParleyError =>
  new ParleyError('idempotency_key_reused', 'This Idempotency-Key was used with another request. Use a new key.');

/** 409: the first request with a key has no answer yet. */
export const inProgress = (): ParleyError =>
  new ParleyError('request_in_progress', 'The request with this Idempotency-Key is still being worked on.', {
    headers: { 'retry-after': '2' },
  });

/** Makes a turn the last try of its request, after `earlier`, which failed. Throws `IdempotencyKeyTaken`. */
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
    const where = { caller: { in: namesOf(viewer) }, key, turnId: earlier.id };
    if ((await tx.idempotency.updateMany({ where, data: { turnId } })).count === 0) throw new IdempotencyKeyTaken();
    return;
  }
  const fresh = { ...claim, ...unanswered, expiresAt: new Date(now().getTime() + keptMs) };
  // Waits for a transaction that claims the same key, and then has made nothing.
  const made = await tx.idempotency.createMany({ data: [{ workspaceId, caller, ...fresh }], skipDuplicates: true });
  if (made.count === 1) return;
  const over = await tx.idempotency.updateMany({
    where: { caller, key, expiresAt: { lte: now() } },
    data: fresh,
  });
  if (over.count === 0) throw new IdempotencyKeyTaken();
}

/** What a key has that was claimed and is not answered yet. */
export const unanswered = { answerCipher: null, about: [], holder: null, aliveUntil: null };

/** The same for requests that say the same. */
export const fingerprintOf = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

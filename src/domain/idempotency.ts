import { createHash } from 'node:crypto';
import type { Context } from '../context.ts';
import type { Transaction } from '../database/client.ts';
import type { Turn } from '../database/generated/prisma/client.ts';
import { ParleyError } from '../errors.ts';

/** How long a key, and the turn that it names, are known. */
export const keptMs = 24 * 60 * 60 * 1000;

/** Another try has taken the key since it was looked for: look again. Never shown to a caller. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * The last try of a request that came with this key; null when there is none to know of. Throws 422
 * `idempotency_key_reused` when the key came with another request.
 */
export async function findTry(context: Context, key: string, fingerprint: string): Promise<Turn | null> {
  const { database, viewer, now } = context;
  const { workspaceId } = viewer;
  const known = await database.idempotency.findUnique({ where: { workspaceId_key: { workspaceId, key } } });
  if (!known || known.expiresAt <= now()) return null;
  if (known.fingerprint !== fingerprint) {
    throw new ParleyError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another request. Use a new key.',
    );
  }
  return database.turn.findUnique({ where: { workspaceId_id: { workspaceId, id: known.turnId } } });
}

/** Makes a turn the last try of its request, after `earlier`, which failed. Throws `KeyTaken`. */
export async function claimKey(
  { viewer, now }: Context,
  tx: Transaction,
  claim: { key: string; fingerprint: string; turnId: string },
  earlier: Turn | null,
): Promise<void> {
  const { workspaceId } = viewer;
  const { key, turnId } = claim;
  if (earlier) {
    const where = { workspaceId, key, turnId: earlier.id };
    if ((await tx.idempotency.updateMany({ where, data: { turnId } })).count === 0) throw new KeyTaken();
    return;
  }
  const fresh = { ...claim, expiresAt: new Date(now().getTime() + keptMs) };
  // Waits for a transaction that claims the same key, and then has made nothing.
  const made = await tx.idempotency.createMany({ data: [{ workspaceId, ...fresh }], skipDuplicates: true });
  if (made.count === 1) return;
  const over = await tx.idempotency.updateMany({
    where: { workspaceId, key, expiresAt: { lte: now() } },
    data: fresh,
  });
  if (over.count === 0) throw new KeyTaken();
}

/** The same for requests that say the same. */
export const fingerprintOf = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');

import type { Viewer } from '../core/viewer.ts';
import type { Database } from '../database/client.ts';
import { kindOfId } from '../database/ids.ts';

type Rights = Pick<Viewer, 'role' | 'key'>;
type Given = { database: Database; now: () => Date };

/**
 * Returns what a member (by user id) or a key may do now, for what the gateway does later with their rights; null if the
 * member has left, or the key was revoked or has expired.
 */
export async function currentRights({ database, now }: Given, workspaceId: string, id: string): Promise<Rights | null> {
  if (kindOfId(id) !== 'key') {
    const where = { workspaceId, userId: id, acceptedAt: { not: null } };
    return database.membership.findFirst({ where, select: { role: true } });
  }
  const key = await database.key.findUnique({
    where: { workspaceId_id: { workspaceId, id } },
    include: { membership: { select: { role: true, acceptedAt: true } } },
  });
  const isOver = !key?.membership.acceptedAt || key.revokedAt || (key.expiresAt && key.expiresAt <= now());
  return isOver ? null : { role: key.membership.role, key };
}

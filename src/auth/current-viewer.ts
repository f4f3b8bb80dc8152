import type { Viewer } from '../core/viewer.ts';
import type { Database } from '../database/client.ts';
import { kindOfId } from '../database/ids.ts';
import { withBudgets, withSettings } from './budgets/of-workspace.ts';

type Given = { database: Database; now: () => Date };

/**
 * Returns a member (by user id) or a key as they are now, for what the gateway does later with their rights; null if
 * the member has left, or the key was revoked or has expired.
 */
export async function currentViewer({ database, now }: Given, workspaceId: string, id: string): Promise<Viewer | null> {
  const nobody = { workspaceId, userId: null, membershipId: null, appId: null };
  if (kindOfId(id) !== 'key') {
    const found = await database.membership.findFirst({
      where: { workspaceId, userId: id, acceptedAt: { not: null } },
      select: { id: true, role: true, workspace: withSettings },
    });
    if (!found) return null;
    const person = { ...nobody, role: found.role, credential: 'person' as const, userId: id, membershipId: found.id };
    return withBudgets(person, found.workspace);
  }
  const key = await database.key.findUnique({
    where: { workspaceId_id: { workspaceId, id } },
    include: { membership: { select: { role: true, acceptedAt: true } }, workspace: withSettings },
  });
  const isOver = !key?.membership.acceptedAt || key.revokedAt || (key.expiresAt && key.expiresAt <= now());
  if (isOver) return null;
  const { scopes, agentIds, baseIds, operations, dashboardId, ratePerMinute, costPerMinute } = key;
  const limits = { id, scopes, agentIds, baseIds, operations, dashboardId, ratePerMinute, costPerMinute };
  return withBudgets({ ...nobody, role: key.membership.role, credential: 'key', key: limits }, key.workspace);
}

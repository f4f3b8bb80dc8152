import { z } from 'zod';
import type { Context } from '../../context.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf, type Viewer } from '../../core/viewer.ts';
import { afterCommit, transact } from '../../database/client.ts';
import type { AppRole, MemberRole } from '../../database/generated/prisma/client.ts';
import { orNotFound } from '../../database/query/found.ts';
import { listRule } from '../../database/query/list.ts';
import { parseInput } from '../shared/input.ts';
import { requireChangeable, requireOwner } from './apps.ts';
import { memberRole } from './memberships.ts';

/** A record has no id of its own: among those of a member, its app tells it apart. */
export const rolesOfMember = listRule({
  model: 'AppRole',
  permission: 'roles.read',
  analytics: { except: [] },
  key: 'appId',
  orders: { createdAt: { type: 'date' } },
  filters: {
    role: { kind: 'in', column: 'role', nullable: true },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

/** Among the records of an app, the member tells one apart. */
export const rolesOfApp = listRule({ ...rolesOfMember, key: 'membershipId' });

type Pair = { membershipId: string; appId: string };

/** The condition for the record of a member and an app. */
export const roleOf = ({ membershipId, appId }: Pair, { workspaceId }: Viewer) => ({
  workspaceId_membershipId_appId: { workspaceId, membershipId, appId },
});

/** What a member may do in an app; null when nothing is recorded, also for an unknown member or app. */
export async function findRole(context: Context, pair: Pair, query: object = {}): Promise<AppRole | null> {
  permit(context, 'roles.read');
  return context.database.appRole.findUnique({ ...query, where: roleOf(pair, context.viewer) });
}

/**
 * Records what a member may do in an app, and so for what it gets tokens for them; null: nothing. Throws 404 `not_found`
 * for an unknown member or app, 403 unless an owner makes an owner, or changes what is recorded in an app that may make one.
 */
export async function setRole(context: Context, pair: Pair, role: MemberRole | null): Promise<AppRole> {
  permit(context, 'roles.write');
  const { membershipId, appId } = pair;
  const { workspaceId } = context.viewer;
  const data = parseInput(z.object({ role: memberRole.nullable() }), { role });
  const updatedBy = actorOf(context.viewer);
  const create = {
    ...data,
    enforced: true,
    membershipId,
    appId,
    workspaceId,
    createdBy: updatedBy,
    updatedBy,
  };
  if (data.role === 'owner') requireOwner(context, 'role: only an owner may let an app be one for a member.');
  const record = await transact(context.database, async (tx) => {
    await requireChangeable(tx, context, appId);
    const where = roleOf(pair, context.viewer);
    const written = await tx.appRole.upsert({ where, create, update: { ...data, enforced: true, updatedBy } });
    if (data.role === 'owner')
      await tx.app.updateMany({ where: { workspaceId, id: appId }, data: { ownersOnly: true } });
    return written;
  });
  await afterCommit(context.database, context.tokens.forget);
  return record;
}

/** Removes the record of a member and an app. Throws 404, and 403 as `setRole`. */
export async function deleteRole(context: Context, pair: Pair): Promise<void> {
  permit(context, 'roles.write');
  await requireChangeable(context.database, context, pair.appId);
  await orNotFound('Role', context.database.appRole.delete({ where: roleOf(pair, context.viewer) }));
  await afterCommit(context.database, context.tokens.forget);
}

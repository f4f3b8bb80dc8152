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

/** Role records have no id: those of a member are identified by their apps. */
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

/** The records of an app are identified by their members. */
export const rolesOfApp = listRule({ ...rolesOfMember, key: 'membershipId' });

type Pair = { membershipId: string; appId: string };

/** Selects the record of a member and an app. */
export const roleOf = ({ membershipId, appId }: Pair, { workspaceId }: Viewer) => ({
  workspaceId_membershipId_appId: { workspaceId, membershipId, appId },
});

/** Returns the role of a member in an app; null if there is no record, even if the member or app does not exist. */
export async function findRole(context: Context, pair: Pair, query: object = {}): Promise<AppRole | null> {
  permit(context, 'roles.read');
  return context.database.appRole.findUnique({ ...query, where: roleOf(pair, context.viewer) });
}

/**
 * Sets the role of a member in an app, which limits the tokens that the app gets for them; null allows none. Throws
 * 400, 404 `not_found` for an unknown member or app, and 403 unless the viewer is an owner if the role is owner or the
 * app may get tokens for owners.
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
  if (data.role === 'owner') requireOwner(context, 'role: only an owner can give an app the role owner for a member.');
  const record = await transact(context.database, async (tx) => {
    await requireChangeable(tx, context, appId);
    const where = roleOf(pair, context.viewer);
    const appRole = await tx.appRole.upsert({ where, create, update: { ...data, enforced: true, updatedBy } });
    if (data.role === 'owner')
      await tx.app.updateMany({ where: { workspaceId, id: appId }, data: { ownersOnly: true } });
    return appRole;
  });
  await afterCommit(context.database, context.tokens.forget);
  return record;
}

/** Deletes the record of a member and an app. Throws 404, and 403 like `setRole`. */
export async function deleteRole(context: Context, pair: Pair): Promise<void> {
  permit(context, 'roles.write');
  await requireChangeable(context.database, context, pair.appId);
  await orNotFound('Role', context.database.appRole.delete({ where: roleOf(pair, context.viewer) }));
  await afterCommit(context.database, context.tokens.forget);
}

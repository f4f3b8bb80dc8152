import { z } from 'zod';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf, type Viewer } from '../../core/viewer.ts';
import { transact } from '../../database/client.ts';
import type { AppRole, MemberRole } from '../../database/generated/prisma/client.ts';
import { insertionOrChange, removal, type Write, writeRow } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { parseInput } from '../shared/input.ts';
import { rowWrite } from '../shared/mutations.ts';
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
export const setRole = rowWrite({
  model: 'AppRole',
  permission: 'roles.write',
  prepare: async (context, { role = null, ...pair }: Pair & { role?: MemberRole | null }) => {
    const data = parseInput(roleInput, { role });
    if (data.role === 'owner') return null;
    await requireChangeable(context.database, context, pair.appId);
    return recordOf(context, pair, data);
  },
  fallback: (context, { role = null, ...pair }) => {
    requireOwner(context, 'role: only an owner can give an app the role owner for a member.');
    return transact(context.database, async (tx) => {
      const record = await writeRow<AppRole>(tx, recordOf(context, pair, { role }));
      await tx.app.updateMany({ where: appOf(context, pair), data: { ownersOnly: true } });
      return record as AppRole;
    });
  },
  after: ({ tokens }) => tokens.forget(),
});

const roleInput = z.object({ role: memberRole.nullable() });

/** The write of the role of a member in an app. */
function recordOf({ viewer }: Context, { membershipId, appId }: Pair, { role }: { role: MemberRole | null }): Write {
  const { workspaceId } = viewer;
  const updatedBy = actorOf(viewer);
  const update = { role, enforced: true, updatedBy };
  const key = { workspaceId, membershipId, appId };
  return insertionOrChange('AppRole', { ...key, ...update, createdBy: updatedBy }, { key: Object.keys(key), update });
}

const appOf = ({ viewer }: Context, { appId: id }: Pair) => ({ workspaceId: viewer.workspaceId, id });

/** Deletes the record of a member and an app. Throws 404, and 403 like `setRole`. */
export const deleteRole = rowWrite({
  model: 'AppRole',
  permission: 'roles.write',
  prepare: async (context, { membershipId, appId }: Pair) => {
    await requireChangeable(context.database, context, appId);
    return removal('AppRole', { workspaceId: context.viewer.workspaceId, membershipId, appId });
  },
  fallback: () => {
    throw notFound('Role');
  },
  after: ({ tokens }) => tokens.forget(),
});

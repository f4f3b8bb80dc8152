import { z } from 'zod';
import { keySecrets } from '../../auth/keys/key-secrets.ts';
import { requirePerson } from '../../auth/person.ts';
import type { Context } from '../../context.ts';
import { conflict, forbidden, invalid, notFound } from '../../core/errors.ts';
import { isDefaultScope, keyScopes, limitedKeyScopes, may, type Permission, permit } from '../../core/permissions.ts';
import { lockNames } from '../../database/advisory.ts';
import { transact } from '../../database/client.ts';
import { addToDirectory } from '../../database/directory.ts';
import type { Key } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { moment, parseInput, requiredText, type Unvalidated } from '../shared/input.ts';
import { keyOfRow, rowWithId, rowWrite } from '../shared/mutations.ts';

export const keyList = listRule({
  model: 'Key',
  permission: 'keys.read',
  orders: { createdAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    membershipId: { kind: 'equals', column: 'membershipId' },
    revoked: { kind: 'present', column: 'revokedAt' },
    used: { kind: 'present', column: 'lastUsedAt' },
    dashboardId: { kind: 'equals', column: 'dashboardId', nullable: true },
  },
});

/** Keys per workspace that are not revoked. */
const maxKeys = 200;
/** The default rate limit of a key, in requests per minute. */
export const defaultRate = 600;

const ids = (what: string) =>
  z
    .array(z.string().max(200))
    .min(1, `must name at least one ${what}: omit it for all of them`)
    .max(100)
    .nullish()
    .transform((named) => [...new Set(named)]);
const keyInput = z.object({
  name: requiredText(),
  scopes: z
    .array(z.enum(keyScopes as [Permission, ...Permission[]], { error: `must be one of ${keyScopes.join(', ')}` }))
    .min(1, 'must have at least one scope: leave it out for a key that may read everything and change nothing')
    .max(100)
    .nullish(),
  agentIds: ids('agent'),
  baseIds: ids('base'),
  operations: ids('operation'),
  dashboardId: z.string().max(200).nullish(),
  expiresAt: moment.nullish(),
  ratePerMinute: z.int32('must be a whole number').min(1, 'must be 1 or more').nullish(),
  costPerMinute: z.int32('must be a whole number').min(1, 'must be 1 or more').nullish(),
});
type Checked = z.output<typeof keyInput>;

/**
 * Creates a key and returns its secret, which is shown only once. Throws 400, 403 unless a member uses a token of their
 * own and has all the scopes, 404 for an unknown agent, base, saved operation or dashboard, and 409 if the workspace
 * has 200 keys.
 */
export async function createKey(
  context: Context,
  input: Unvalidated<z.input<typeof keyInput>>,
): Promise<{ row: Key; secret: string }> {
  permit(context, 'keys.write');
  requirePerson(context);
  const given = parseInput(keyInput, input);
  const { database, viewer, now } = context;
  const { workspaceId, membershipId } = viewer;
  const { agentIds, baseIds, operations, dashboardId = null, name, expiresAt = null } = given;
  const { ratePerMinute = defaultRate, costPerMinute } = given;
  if (dashboardId && operations.length > 0) throw invalid('dashboardId: a key is limited to operations or to a board');
  if (expiresAt && expiresAt <= now()) throw invalid('expiresAt: must lie in the future');
  const scopes = scopesOf(context, given);
  await requireExisting(context, given);
  const { secret, secretHash } = keySecrets.create();
  await addToDirectory(context, workspaceId, [secretHash]);
  const row = await transact(database, async (tx) => {
    await lockNames(tx, [`keys ${workspaceId}`]);
    if (
      (await tx.key.count({
        where: { workspaceId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }] },
      })) >= maxKeys
    ) {
      throw conflict(
        `The workspace already has ${maxKeys} keys, the maximum: revoke one first, with the GraphQL mutation revokeKey.`,
      );
    }
    const of = { id: newId('key'), workspaceId, membershipId: membershipId ?? '', secretHash, hint: secret.slice(-4) };
    const limits = { scopes, agentIds, baseIds, operations, dashboardId, expiresAt, ratePerMinute, costPerMinute };
    return tx.key.create({ data: { ...of, name, ...limits } });
  });
  return { row, secret };
}

/**
 * The requested scopes, or by default those of `isDefaultScope` that the key and its creator may have. Throws 400
 * and 403.
 */
function scopesOf({ viewer }: Context, { scopes, agentIds, baseIds }: Checked): Permission[] {
  const isLimited = agentIds.length > 0 || baseIds.length > 0;
  const possible = isLimited ? limitedKeyScopes : keyScopes;
  if (!scopes) return possible.filter((scope) => isDefaultScope(scope) && may(viewer, scope));
  const disallowed = scopes.find((scope) => !possible.includes(scope));
  if (disallowed) {
    throw invalid(
      `scopes: ${disallowed} covers the whole workspace, and cannot be given to a key limited to some agents or bases`,
    );
  }
  const missing = scopes.find((scope) => !may(viewer, scope));
  if (missing)
    throw forbidden(
      `scopes: your role ${viewer.role} lacks the permission ${missing}, so you cannot give it to a key.`,
    );
  return [...new Set(scopes)];
}

async function requireExisting(
  { database, viewer }: Context,
  { agentIds, baseIds, operations, dashboardId }: Checked,
): Promise<void> {
  const where = (named: string[]) => ({ workspaceId: viewer.workspaceId, id: { in: named } });
  if (agentIds.length > 0 && (await database.agent.count({ where: where(agentIds) })) < agentIds.length) {
    throw notFound('Agent');
  }
  if (baseIds.length > 0 && (await database.base.count({ where: where(baseIds) })) < baseIds.length) {
    throw notFound('Base');
  }
  const named = { workspaceId: viewer.workspaceId, name: { in: operations } };
  if (operations.length > 0 && (await database.savedOperation.count({ where: named })) < operations.length) {
    throw notFound('SavedOperation');
  }
  if (dashboardId && (await database.dashboard.count({ where: where([dashboardId]) })) === 0)
    throw notFound('Dashboard');
}

/**
 * Revokes a key for good: at once, and within 5 seconds on other replicas. Throws 404, also for the key of another
 * member unless the viewer is an owner or admin.
 */
export const revokeKey = rowWrite({
  model: 'Key',
  permission: 'keys.write',
  prepare: (context, { id }: { id: string }) => {
    const { viewer, now } = context;
    const ofViewer = !may(viewer, 'memberships.write') && { membershipId: viewer.membershipId ?? '' };
    return change('Key', { ...rowWithId(context, id), ...ofViewer, revokedAt: null }, { revokedAt: now() });
  },
  fallback: async (context, { id }) => {
    const known = await context.database.key.findUnique({ where: keyOfRow(context, id) });
    if (!known || !isOwnKey(context, known)) throw notFound('Key');
    return known;
  },
  after: ({ tokens }, isRevokedAlready) => (isRevokedAlready ? null : tokens.forget()),
});

/** The network address that last used a key; null unless the viewer created it or is an owner or admin. */
export const visibleAddress = (context: Context, key: Pick<Key, 'membershipId' | 'lastUsedFrom'>): string | null =>
  isOwnKey(context, key) ? key.lastUsedFrom : null;

const isOwnKey = ({ viewer }: Context, { membershipId }: Pick<Key, 'membershipId'>): boolean =>
  membershipId === viewer.membershipId || may(viewer, 'memberships.write');

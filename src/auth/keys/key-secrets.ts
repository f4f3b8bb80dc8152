import { unauthorized } from '../../core/errors.ts';
import type { Database } from '../../database/client.ts';
import { findByKey } from '../../database/directory.ts';
import { withBudgets, withSettings } from '../budgets/of-workspace.ts';
import { opaqueSecrets } from '../opaque-secrets.ts';
import type { VerifiedToken } from '../token-cache.ts';

export const keySecrets = opaqueSecrets('pky_');

/** Verifies a key's secret; the role is its maker's current one. Throws 401 `unauthorized` or `token_expired`. */
export function verifyKeySecret(database: Database, secret: string, now: () => Date): VerifiedToken {
  const secretHash = keySecrets.hashOf(secret);
  return {
    expiresAt: Number.POSITIVE_INFINITY,
    async viewer() {
      const include = { membership: { select: { role: true, acceptedAt: true } }, workspace: withSettings } as const;
      const found = await findByKey(database, secretHash, (of) =>
        database.key.findFirst({ where: { ...of, secretHash }, include }),
      );
      if (!found?.membership.acceptedAt) {
        throw unauthorized('No key has this secret: it is mistyped, or the member who created the key has left.');
      }
      const { id, workspaceId, scopes, agentIds, baseIds, operations, dashboardId } = found;
      const { membership, revokedAt, expiresAt, ratePerMinute, costPerMinute } = found;
      if (revokedAt) throw unauthorized('This key was revoked: use another one.');
      if (expiresAt && expiresAt <= now()) {
        throw unauthorized(
          'This key has expired: create a new one with the GraphQL mutation createKey.',
          'token_expired',
        );
      }
      const key = { id, scopes, agentIds, baseIds, operations, dashboardId, ratePerMinute, costPerMinute };
      const nobody = { userId: null, membershipId: null, appId: null };
      const viewer = { workspaceId, role: membership.role, credential: 'key' as const, ...nobody, key };
      return withBudgets(viewer, found.workspace);
    },
  };
}

import { unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { findByKey } from '../database/directory.ts';
import { withBudgets, withSettings } from './budgets/of-workspace.ts';
import { secretVersionOf } from './makers.ts';
import { opaqueSecrets } from './opaque-secrets.ts';
import type { VerifiedToken } from './token-cache.ts';

export const appSecrets = opaqueSecrets('pas_');

/** Verifies an app's secret. Throws 401 `unauthorized` if no app has it. */
export function verifyAppSecret(database: Database, secret: string): VerifiedToken {
  const secretHash = appSecrets.hashOf(secret);
  return {
    expiresAt: Number.POSITIVE_INFINITY,
    async viewer() {
      const select = { workspaceId: true, id: true, workspace: withSettings } as const;
      const app = await findByKey(database, secretHash, (of) =>
        database.app.findFirst({ where: { ...of, secretHash }, select }),
      );
      if (!app) throw unauthorized('No app has this secret: it was replaced or mistyped, or the app was deleted.');
      const { workspaceId, id: appId } = app;
      const secretVersion = secretVersionOf(secretHash);
      const of = { role: 'app', credential: 'secret', userId: null, membershipId: null } as const;
      return withBudgets({ workspaceId, ...of, appId, secretVersion }, app.workspace);
    },
  };
}

import { hash, randomBytes } from 'node:crypto';
import { unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { withBudgets, withSettings } from './budgets/of-workspace.ts';
import { secretVersionOf } from './makers.ts';
import type { VerifiedToken } from './token-cache.ts';

const PREFIX = 'pas_';

/**
 * Returns a new secret for an app, and the hash under which it is looked up. With 256 random bits, a plain hash is
 * safe.
 */
export function newAppSecret(): { secret: string; hash: string } {
  const secret = PREFIX + randomBytes(32).toString('base64url');
  return { secret, hash: hashAppSecret(secret) };
}

/** The value of App.secretHash: SHA-256 in hexadecimal. */
const hashAppSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** Whether a bearer is an app's secret rather than a token. */
export const isAppSecret = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** Verifies an app's secret. Throws 401 `unauthorized` if no app has it. */
export function verifyAppSecret(database: Database, secret: string): VerifiedToken {
  const secretHash = hashAppSecret(secret);
  return {
    expiresAt: Number.POSITIVE_INFINITY,
    async viewer() {
      const app = await database.app.findFirst({
        where: { secretHash },
        select: { workspaceId: true, id: true, workspace: withSettings },
      });
      if (!app) throw unauthorized('No app has this secret: it was replaced or mistyped, or the app was deleted.');
      const { workspaceId, id: appId } = app;
      const secretVersion = secretVersionOf(secretHash);
      const of = { role: 'app', credential: 'secret', userId: null, membershipId: null } as const;
      return withBudgets({ workspaceId, ...of, appId, secretVersion }, app.workspace);
    },
  };
}

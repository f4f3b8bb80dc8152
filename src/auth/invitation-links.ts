import { unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { findByKey } from '../database/directory.ts';
import { invited } from './invited.ts';
import { opaqueSecrets } from './opaque-secrets.ts';
import type { VerifiedToken } from './token-cache.ts';

export const linkSecrets = opaqueSecrets('inv_');

/** Prisma condition for the invitation that a link belongs to, while the link can still be used. */
export const invitationOfLink = (linkHash: string, now: Date) => ({
  linkHash,
  acceptedAt: null,
  linkExpiresAt: { gt: now },
});

/** Verifies an invitation's link, whose bearer may answer only that invitation. Throws 401 `unauthorized`. */
export function verifyLinkSecret(database: Database, secret: string, now: () => Date): VerifiedToken {
  const linkHash = linkSecrets.hashOf(secret);
  return {
    expiresAt: Number.POSITIVE_INFINITY,
    async viewer() {
      const where = invitationOfLink(linkHash, now());
      const found = await findByKey(database, linkHash, (of) =>
        database.membership.findFirst({ where: { ...of, ...where }, select: { workspaceId: true } }),
      );
      if (!found) {
        throw unauthorized(
          'This invitation link has been used, withdrawn or replaced, or has expired: ask for a new one.',
        );
      }
      return invited({ linkHash, workspaceId: found.workspaceId }, 'invitation');
    },
  };
}

import { hash, randomBytes } from 'node:crypto';
import { unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { invited } from './invited.ts';
import type { VerifiedToken } from './token-cache.ts';

const PREFIX = 'inv_';

/**
 * Returns a new secret for an invitation's link, and the hash under which it is looked up: 256 random bits need no
 * salt.
 */
export function newLinkSecret(): { secret: string; linkHash: string } {
  const secret = PREFIX + randomBytes(32).toString('base64url');
  return { secret, linkHash: hashLinkSecret(secret) };
}

const hashLinkSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** Whether a bearer is the secret of an invitation's link. */
export const isLinkSecret = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** Prisma condition for the invitation that a link belongs to, while the link can still be used. */
export const invitationOfLink = (linkHash: string, now: Date) => ({
  linkHash,
  acceptedAt: null,
  linkExpiresAt: { gt: now },
});

/** Verifies an invitation's link, whose bearer may answer only that invitation. Throws 401 `unauthorized`. */
export function verifyLinkSecret(database: Database, secret: string, now: () => Date): VerifiedToken {
  const linkHash = hashLinkSecret(secret);
  return {
    expiresAt: Number.POSITIVE_INFINITY,
    async viewer() {
      const found = await database.membership.findFirst({
        where: invitationOfLink(linkHash, now()),
        select: { id: true },
      });
      if (!found) {
        throw unauthorized(
          'This invitation link has been used, withdrawn or replaced, or has expired: ask for a new one.',
        );
      }
      return invited({ linkHash }, 'invitation');
    },
  };
}

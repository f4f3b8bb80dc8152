import { hash, randomBytes } from 'node:crypto';
import { unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { invited } from './invited.ts';
import type { VerifiedToken } from './token-cache.ts';

const PREFIX = 'inv_';

/** A new secret for the link of an invitation, and the hash under which it is found: 256 random bits need no salt. */
export function newLinkSecret(): { secret: string; linkHash: string } {
  const secret = PREFIX + randomBytes(32).toString('base64url');
  return { secret, linkHash: hashLinkSecret(secret) };
}

const hashLinkSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** Whether a bearer is the secret of an invitation's link. */
export const isLinkSecret = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** The condition for the invitation that a link is for, while it can be answered by it. */
export const invitationOfLink = (linkHash: string, now: Date) => ({
  linkHash,
  acceptedAt: null,
  linkExpiresAt: { gt: now },
});

/** Finds the invitation that the link is for, which is all that its bearer may answer. Throws 401 `unauthorized`. */
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
        throw unauthorized('This invitation was answered, withdrawn, replaced or has expired: ask for a new link.');
      }
      return invited({ linkHash }, 'invitation');
    },
  };
}

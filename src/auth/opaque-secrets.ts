import { hash, randomBytes } from 'node:crypto';

/** Random bearers that begin with a prefix. They have 256 random bits, so a hash without a salt is safe to store. */
export function opaqueSecrets(prefix: string) {
  /** SHA-256 in hexadecimal, under which a secret is looked up. */
  const hashOf = (secret: string): string => hash('sha256', secret, 'hex');
  return {
    hashOf,
    create(): { secret: string; secretHash: string } {
      const secret = prefix + randomBytes(32).toString('base64url');
      return { secret, secretHash: hashOf(secret) };
    },
    /** Whether a bearer is one of them, valid or not. */
    includes: (bearer: string): boolean => bearer.startsWith(prefix),
  };
}

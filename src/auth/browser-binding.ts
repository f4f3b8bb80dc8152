import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A nonce that an address and a cookie share: 256 random bits, so its hash needs no salt. */
export const createNonce = (): string => randomBytes(32).toString('base64url');
export const isNonce = (value: string | undefined): value is string => /^[\w-]{43}$/.test(value ?? '');
export const hashOf = (nonce: string): string => hash('sha256', nonce, 'hex');

/** Whether something is bound to the browser that sent this nonce. Compares in constant time. */
export function isBoundTo(browserHash: string | null, nonce: string | undefined): boolean {
  if (browserHash === null || !isNonce(nonce)) return false;
  return timingSafeEqual(hash('sha256', browserHash, 'buffer'), hash('sha256', hashOf(nonce), 'buffer'));
}

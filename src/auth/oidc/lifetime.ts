import type { JWTPayload } from 'jose';

/** Tolerated clock skew, in seconds: whoever signs tokens elsewhere sets their times by clocks of their own. */
export const CLOCK_TOLERANCE = 30;

/**
 * Whether a token that was signed elsewhere is valid for more than `maxSeconds`: from `iat`, or from now if it has none
 * or one that is still to come. A stolen one could be used for as long, whatever its person's sign-in lasts.
 */
export function livesTooLong({ exp = Infinity, iat = Infinity }: JWTPayload, maxSeconds: number, now: Date): boolean {
  return exp - Math.min(iat, now.getTime() / 1000) > maxSeconds + CLOCK_TOLERANCE;
}

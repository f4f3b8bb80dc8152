import { errors, type JWTPayload, jwtVerify } from 'jose';
import { unauthorized } from '../core/errors.ts';
import { opaqueSecrets } from './opaque-secrets.ts';

/** What a site signs the tokens of its own users with: those show a widget who they are. */
export const identitySecrets = opaqueSecrets('idn_');

/** How far the clocks of the site and the gateway may differ, in seconds. */
const clockTolerance = 30;

/**
 * Returns the claims of a token that a site signed for one of its users (HS256). Throws 401 `unauthorized`, also for one
 * without an expiry, and `token_expired`.
 */
export async function verifyIdentityToken(token: string, secret: string, now: Date): Promise<JWTPayload> {
  try {
    const options = { algorithms: ['HS256'], requiredClaims: ['exp'], clockTolerance, currentDate: now };
    return (await jwtVerify(token, Buffer.from(secret), options)).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      throw unauthorized('identity: the token has expired: sign a new one.', 'token_expired');
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'exp')
      throw unauthorized('identity: the token needs a time of expiry (exp).');
    if (error instanceof errors.JOSEError)
      throw unauthorized(
        'identity: must be a JWT that is signed by HS256 with the identity secret of the channel: the secret was replaced or is another one.',
      );
    throw error;
  }
}

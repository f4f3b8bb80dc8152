import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Config } from '../config/config.ts';
import { unauthorized } from '../core/errors.ts';
import { CLOCK_TOLERANCE, livesTooLong } from './oidc/lifetime.ts';
import { opaqueSecrets } from './opaque-secrets.ts';

/** What a site signs the tokens of its own users with: those show a widget who they are. */
export const identitySecrets = opaqueSecrets('idn_');

/**
 * Returns the claims of a token that a site signed for one of its users (HS256). Throws 401 `unauthorized`, also for
 * one without an expiry or with a distant one, and `token_expired`.
 */
export async function verifyIdentityToken(
  { config, now }: { config: Pick<Config, 'maxTokenSeconds'>; now: () => Date },
  token: string,
  secret: string,
): Promise<JWTPayload> {
  const max = config.maxTokenSeconds;
  try {
    const times = { requiredClaims: ['exp'], clockTolerance: CLOCK_TOLERANCE, currentDate: now() };
    const { payload } = await jwtVerify(token, Buffer.from(secret), { algorithms: ['HS256'], ...times });
    if (!livesTooLong(payload, max, now())) return payload;
    throw unauthorized(
      `identity: the token is valid for more than ${max} seconds: sign one that expires sooner (exp).`,
    );
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

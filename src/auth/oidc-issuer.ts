import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { lowerCaseEmail } from '../core/emails.ts';
import { ParleyError, unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { invalidBearer } from './bearer.ts';
import { viewerOfPerson } from './invited.ts';
import { fetchJson, fetchWhole, TIMEOUT_MS } from './issuer-fetch.ts';
import type { VerifiedToken } from './token-cache.ts';

const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Tolerated clock skew, in seconds. */
const TOLERANCE = 5;

// PostgreSQL's text type cannot store NUL.
const text = z
  .string()
  .min(1)
  .max(320)
  .refine((value) => !value.includes('\0'));
const claimsShape = z.object({
  sub: text,
  exp: z.number(),
  email: text.optional().catch(undefined),
  // Some issuers send it as text.
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .optional()
    .catch(false),
  workspace: text.optional(),
});
type Options = { oidc: NonNullable<Config['oidc']>; database: Database; now: () => Date };

/**
 * Verifies tokens of the configured OIDC issuer: its keys come from OIDC_JWKS_URL, or else from its discovery document.
 */
export function createOidcIssuer({ oidc, database, now }: Options) {
  let keySet: Promise<JWTVerifyGetKey> | null = null;

  function keys(): Promise<JWTVerifyGetKey> {
    keySet ??= keySetOf(oidc).catch((error) => {
      keySet = null;
      throw error;
    });
    return keySet;
  }

  const keyFor: JWTVerifyGetKey = async (header, token) => {
    const find = await keys();
    try {
      return await find(header, token);
    } catch (error) {
      // An unknown key is the token's fault; keys that cannot be fetched are not.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      return unavailable(error);
    }
  };

  /** Verifies signature, issuer, audience and times. Throws an error of jose, 401, or 503 `unavailable`. */
  return async function verify(bearer: string): Promise<VerifiedToken> {
    const { payload } = await jwtVerify(bearer, keyFor, {
      algorithms,
      issuer: oidc.issuer,
      audience: oidc.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: TOLERANCE,
      currentDate: now(),
    }).catch(withClaim);
    const claims = claimsShape.parse(payload);
    const isVerified = claims.email_verified ?? oidc.emailVerified === 'assumed';
    const email = isVerified && claims.email && lowerCaseEmail(claims.email);
    if (!email) throw unauthorized('The token must have the claims email and email_verified: true.');
    return {
      expiresAt: (claims.exp + TOLERANCE) * 1000,
      viewer: () => viewerOfPerson(database, email, claims),
    };
  };
}

async function keySetOf({ issuer, jwksUrl }: Options['oidc']): Promise<JWTVerifyGetKey> {
  const url = jwksUrl ?? (await discover(issuer));
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: TIMEOUT_MS,
    [customFetch]: (address, init) => fetchWhole(address, init),
  });
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const named = z
      .object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })
      .parse(await fetchJson(url));
    if (named.issuer === issuer) return named.jwks_uri;
    throw new Error(`${url} names the issuer ${named.issuer}: set OIDC_ISSUER to exactly that, not to ${issuer}`);
  } catch (error) {
    return unavailable(error);
  }
}

function unavailable(cause: unknown): never {
  throw new ParleyError('unavailable', 'The signing keys of the issuer cannot be fetched: try again.', { cause });
}

/**
 * Adds what a claim says to the error of one that the issuer signed but that does not match the settings: the operator
 * must learn of a wrong audience. Only of a signed token, since a log is not for forgers to write into.
 */
function withClaim(error: unknown): never {
  if (!(error instanceof errors.JWTClaimValidationFailed)) throw error;
  const says = JSON.stringify(error.payload[error.claim])?.slice(0, 200) ?? 'missing';
  throw unauthorized(invalidBearer, 'unauthorized', new Error(`OIDC_ISSUER: the token's "${error.claim}" is ${says}`));
}

import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { lowerCaseEmail } from '../core/emails.ts';
import { ParleyError, unauthorized } from '../core/errors.ts';
import type { Database } from '../database/client.ts';
import { within } from '../net/deadline.ts';
import { viewerOfPerson } from './invited.ts';
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
const TIMEOUT_MS = 5_000;
const maxBytes = 1_000_000;

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
    });
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
  const shape = z.object({ issuer: z.literal(issuer), jwks_uri: z.url({ protocol: /^https?$/ }) });
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetchWhole(url, { headers: { accept: 'application/json' } });
    return shape.parse(await response.json()).jwks_uri;
  } catch (error) {
    return unavailable(error);
  }
}

/** A response with its whole body, within the timeout and `maxBytes`. */
function fetchWhole(url: string, init: RequestInit): Promise<Response> {
  return within(TIMEOUT_MS, async (signal) => {
    const response = await fetch(url, { ...init, signal });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new Error(`the issuer sent more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return new Response(Buffer.concat(chunks), { status: response.status });
  });
}

function unavailable(cause: unknown): never {
  throw new ParleyError('unavailable', 'The signing keys of the issuer cannot be fetched: try again.', { cause });
}

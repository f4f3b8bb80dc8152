import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { storedEmail } from '../../core/contacts/emails.ts';
import { ParleyError, unauthorized } from '../../core/errors.ts';
import type { Database } from '../../database/client.ts';
import { invalidBearer } from '../bearer.ts';
import { viewerOfPerson } from '../invited.ts';
import type { VerifiedToken } from '../token-cache.ts';
import { fetchJson, fetchWhole, IssuerAnswer, TIMEOUT_MS } from './issuer-fetch.ts';
import { CLOCK_TOLERANCE, livesTooLong } from './lifetime.ts';

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
// PostgreSQL's text type cannot store NUL.
const text = z
  .string()
  .min(1)
  .max(320)
  .refine((value) => !value.includes('\0'));
const claimsShape = z.object({ sub: text, exp: z.number(), workspace: text.optional() });
/** Some issuers send it as text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';

const descriptionShape = z.object({
  issuer: z.string(),
  jwks_uri: z.url({ protocol: /^https?$/ }),
  userinfo_endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .catch(undefined),
});
type Description = z.infer<typeof descriptionShape>;
type OidcConfig = NonNullable<Config['oidc']>;
type Options = { oidc: OidcConfig; maxTokenSeconds: number; database: Database; now: () => Date };

/** The names that an issuer has in its tokens: Google's, also its short one. */
export const issuersOf = ({ issuer }: Pick<OidcConfig, 'issuer'>): string[] =>
  issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer];

/**
 * Verifies tokens of the configured OIDC issuer: its keys come from OIDC_JWKS_URL, or else from its discovery document.
 * A token that does not say whose it is, such as an access token of Okta or Cognito, is shown to the issuer's userinfo
 * endpoint, which tells.
 */
export function createOidcIssuer({ oidc, maxTokenSeconds, database, now }: Options) {
  const description = once(() => discover(oidc.issuer));
  const keys = once(async () => keySetAt(oidc.jwksUrl ?? (await description()).jwks_uri));

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
      issuer: issuersOf(oidc),
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: now(),
    }).catch((error: unknown) => {
      throw error instanceof errors.JWTClaimValidationFailed ? refusedClaim(error.payload, error.claim) : error;
    });
    requireAudience(payload, oidc.audiences);
    if (livesTooLong(payload, maxTokenSeconds, now())) throw refusedClaim(payload, 'exp', maxTokenSeconds);
    const claims = claimsShape.parse(payload);
    const who = payload[oidc.emailClaim] === undefined ? await userInfo(bearer, claims.sub) : null;
    const email = verifiedEmail(who ?? payload, oidc);
    if (!email)
      throw unauthorized(`The token must have the claims ${oidc.emailClaim} and ${oidc.emailClaim}_verified: true.`);
    return {
      expiresAt: (claims.exp + CLOCK_TOLERANCE) * 1000,
      viewer: () => viewerOfPerson(database, email, claims),
    };
  };

  /** What the issuer says of the token's person; null if it has no such endpoint, or refuses the token there. */
  async function userInfo(bearer: string, sub: string): Promise<JWTPayload | null> {
    // OIDC_JWKS_URL is for issuers without a discovery document, among others.
    const found = await description().catch((error: unknown) => {
      if (oidc.jwksUrl) return null;
      throw error;
    });
    const url = found?.userinfo_endpoint;
    if (!url) return null;
    try {
      const person = z
        .looseObject({ sub: z.string() })
        .parse(await fetchJson(url, { authorization: `Bearer ${bearer}` }));
      // By OpenID Connect, an answer about anybody else must not be used.
      return person.sub === sub ? person : null;
    } catch (error) {
      if (error instanceof IssuerAnswer && error.status >= 400 && error.status < 500 && error.status !== 429)
        return null;
      return unavailable(error, 'The issuer cannot be asked whose token this is: try again.');
    }
  }
}

/**
 * The email that the claims name, if it is verified: by the claim of the same name that ends with `_verified`, or
 * without a word on that where it is assumed. What is said not to be verified never is.
 */
function verifiedEmail(claims: JWTPayload, { emailClaim, emailVerified }: OidcConfig): string | null {
  const email = text.safeParse(claims[emailClaim]).data;
  const said = [claims[`${emailClaim}_verified`], claims['email_verified']].filter((word) => word !== undefined);
  const own = claims[`${emailClaim}_verified`];
  const isVerified = own === undefined ? emailVerified === 'assumed' && said.every(isTrue) : said.every(isTrue);
  return email && isVerified ? storedEmail(email) : null;
}

/** Cognito's access tokens name the client that they were issued to, in place of an audience. */
function requireAudience(payload: JWTPayload, audiences: string[]): void {
  const client = payload['token_use'] === 'access' ? payload['client_id'] : undefined;
  const named = [payload.aud ?? client].flat();
  if (!named.some((one) => typeof one === 'string' && audiences.includes(one))) throw refusedClaim(payload, 'aud');
}

/** What fails is tried again by the next caller. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () =>
    (running ??= work().catch((error: unknown) => {
      running = null;
      throw error;
    }));
}

const keySetAt = (url: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: TIMEOUT_MS,
    [customFetch]: (address, init) => fetchWhole(address, init),
  });

async function discover(issuer: string): Promise<Description> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const description = descriptionShape.parse(await fetchJson(url));
    if (description.issuer === issuer) return description;
    throw new Error(`${url} names the issuer ${description.issuer}: set OIDC_ISSUER to exactly that, not to ${issuer}`);
  } catch (error) {
    return unavailable(error);
  }
}

function unavailable(cause: unknown, message = 'The signing keys of the issuer cannot be fetched: try again.'): never {
  throw new ParleyError('unavailable', message, { cause });
}

/**
 * 401 for a token that the issuer signed, with a claim that does not match the settings, which only the log says: a
 * wrong audience is the operator's to know. Only of a signed token, since a log is not for forgers to write into.
 */
function refusedClaim(payload: JWTPayload, claim: string, maxSeconds?: number): ParleyError {
  const says = JSON.stringify(payload[claim])?.slice(0, 200) ?? 'missing';
  const most = maxSeconds ? `, more than TOKEN_MAX_SECONDS (${maxSeconds}) after its "iat"` : '';
  return unauthorized(
    invalidBearer,
    'unauthorized',
    new Error(`OIDC_ISSUER: the token's "${claim}" is ${says}${most}`),
  );
}

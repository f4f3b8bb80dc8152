import { decodeJwt, errors, type JWK } from 'jose';
import { ZodError } from 'zod';
import type { Config } from '../config/config.ts';
import { unauthorized } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Database } from '../database/client.ts';
import { createAccessTokens, type TokenClaims } from './access-tokens.ts';
import { isAppSecret, verifyAppSecret } from './app-secrets.ts';
import { isLinkSecret, verifyLinkSecret } from './invitation-links.ts';
import { isKeySecret, verifyKeySecret } from './keys/key-secrets.ts';
import { createOidcIssuer } from './oidc-issuer.ts';
import type { Secrets } from './secrets.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createTokenCache, type VerifiedToken } from './token-cache.ts';
import { createVisitorTokens, type VisitorTokens } from './visitor-tokens.ts';

export type { TokenClaims } from './access-tokens.ts';

/** Issues bearers and tells whom a bearer stands for. */
export type Tokens = {
  /**
   * An access token for a member; 3,600 seconds unless told, at most 86,400. Throws 400 when `ttlSeconds` is not. Not to
   * be called inside `transact`: it may have to read or make a signing key.
   */
  sign(claims: TokenClaims, ttlSeconds?: number): Promise<string>;
  /** The same for whoever has an email and may be a member of no workspace yet. For the machine's operator alone. */
  signPerson(email: string, ttlSeconds?: number): Promise<string>;
  /** Whom an access token, an app's secret, a key, an invitation's link or a token of the outside issuer stands for. Throws 401, or 503. */
  verify(bearer: string): Promise<Viewer>;
  /** The tokens of those who chat through a widget; `verify` takes none of them. */
  visitors: VisitorTokens;
  /** The public keys, as `/.well-known/jwks.json` answers them. */
  jwks(): Promise<{ keys: JWK[] }>;
  /** Makes a new key sign; tokens signed before stay valid until they expire. */
  rotate(): Promise<void>;
  /** Call after a member or an app was changed or deleted: else this replica may take up to 5 seconds to see it. */
  forget(): void;
};

type Options = { config: Pick<Config, 'publicUrl' | 'oidc'>; database: Database; secrets: Secrets; now: () => Date };

export function createTokens({ config, database, secrets, now }: Options): Tokens {
  const keys = createSigningKeys({ database, secrets, now });
  const issuer = config.publicUrl ?? 'parley';
  const own = createAccessTokens({ issuer, keys, database, now });
  const outside = config.oidc ? createOidcIssuer({ oidc: config.oidc, database, now }) : null;

  function prove(bearer: string): VerifiedToken | Promise<VerifiedToken> {
    if (isAppSecret(bearer)) return verifyAppSecret(database, bearer);
    if (isKeySecret(bearer)) return verifyKeySecret(database, bearer, now);
    if (isLinkSecret(bearer)) return verifyLinkSecret(database, bearer, now);
    const named = decodeJwt(bearer).iss;
    if (named === issuer) return own.prove(bearer);
    if (outside && named === config.oidc?.issuer) return outside(bearer);
    throw unauthorized('This token comes from an issuer that is not known here.');
  }

  const cache = createTokenCache({ verify: async (bearer) => clearly(() => prove(bearer)), now });
  return {
    sign: own.sign,
    signPerson: own.signPerson,
    verify: cache.viewerOf,
    visitors: createVisitorTokens({ issuer, keys, now }),
    jwks: async () => ({ keys: await keys.published() }),
    rotate: keys.rotate,
    forget: cache.forget,
  };
}

/** Turns what is wrong with a token into one answer, which tells a forger nothing. */
async function clearly(prove: () => VerifiedToken | Promise<VerifiedToken>): Promise<VerifiedToken> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw unauthorized('The access token has expired: get a new one.', 'token_expired');
    }
    if (error instanceof errors.JOSEError || error instanceof ZodError) {
      throw unauthorized(
        "The bearer is not valid: send a whole access token made for this service, or an app's secret.",
      );
    }
    throw error;
  }
}

import { decodeJwt, errors, type JWK } from 'jose';
import { ZodError } from 'zod';
import type { Config } from '../config/config.ts';
import { unauthorized } from '../core/errors.ts';
import { noPeers, type Peers } from '../core/peers.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Database } from '../database/client.ts';
import { createAccessTokens, type TokenClaims } from './access-tokens.ts';
import { appSecrets, verifyAppSecret } from './app-secrets.ts';
import { invalidBearer } from './bearer.ts';
import type { Secrets } from './encryption/secrets.ts';
import { linkSecrets, verifyLinkSecret } from './invitation-links.ts';
import { keySecrets, verifyKeySecret } from './keys/key-secrets.ts';
import { createOidcIssuer, issuersOf } from './oidc/issuer.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createTokenCache, type VerifiedToken } from './token-cache.ts';
import { createVisitorTokens, type VisitorTokens } from './visitor-tokens.ts';

export type { TokenClaims } from './access-tokens.ts';

/** Issues bearers and verifies whom they represent. */
export type Tokens = {
  /**
   * Signs an access token for a member, by default for 3,600 seconds, at most 86,400. Throws 400 if `ttlSeconds` is out
   * of range. Must not be called inside `transact`, since it may read or create a signing key.
   */
  sign(claims: TokenClaims, ttlSeconds?: number): Promise<string>;
  /**
   * Signs a token for the owner of an email, who need not be a member of a workspace. For the machine's operator only.
   */
  signPerson(email: string, ttlSeconds?: number): Promise<string>;
  /**
   * Returns whom an access token, an app's secret, a key, an invitation's link or a token of the identity provider
   * represents. Throws 401 or 503.
   */
  verify(bearer: string): Promise<Viewer>;
  /** The tokens of a widget's visitors; `verify` rejects them. */
  visitors: VisitorTokens;
  /** The public keys, as served by `/.well-known/jwks.json`. */
  jwks(): Promise<{ keys: JWK[] }>;
  /** Creates a new signing key; existing tokens stay valid until they expire. */
  rotate(): Promise<void>;
  /**
   * Call this after a member or an app was changed or deleted; otherwise this replica may take up to 5 seconds to
   * notice. Resolves once all workers of the process know.
   */
  forget(): Promise<void>;
};

type Options = {
  config: Pick<Config, 'publicUrl' | 'oidc' | 'maxTokenSeconds'>;
  database: Database;
  secrets: Secrets;
  now: () => Date;
  peers?: Peers;
};

/** Creates the verifier of all kinds of bearers, and issuer of access tokens. */
export function createTokens({ config, database, secrets, now, peers = noPeers }: Options): Tokens {
  const keys = createSigningKeys({ database, secrets, now });
  const issuer = config.publicUrl ?? 'parley';
  const accessTokens = createAccessTokens({ issuer, keys, database, now });
  const outside = config.oidc ? createOidcIssuer({ ...config, oidc: config.oidc, database, now }) : null;

  function verify(bearer: string): VerifiedToken | Promise<VerifiedToken> {
    if (appSecrets.includes(bearer)) return verifyAppSecret(database, bearer);
    if (keySecrets.includes(bearer)) return verifyKeySecret(database, bearer, now);
    if (linkSecrets.includes(bearer)) return verifyLinkSecret(database, bearer, now);
    const named = decodeJwt(bearer).iss;
    if (named === issuer) return accessTokens.verify(bearer);
    if (outside && config.oidc && issuersOf(config.oidc).includes(named ?? '')) return outside(bearer);
    throw unauthorized(
      'This token comes from an unknown issuer: get one from this service or from its identity provider.',
      'unauthorized',
      almost(named, config.oidc?.issuer),
    );
  }

  const cache = createTokenCache({ verify: async (bearer) => clearly(() => verify(bearer)), now });
  peers.subscribe('forget tokens', cache.forget);
  return {
    sign: accessTokens.sign,
    signPerson: accessTokens.signPerson,
    verify: cache.viewerOf,
    visitors: createVisitorTokens({ issuer, keys, now }),
    jwks: async () => ({ keys: await keys.published() }),
    rotate: keys.rotate,
    async forget() {
      cache.forget();
      await peers.publish('forget tokens');
    },
  };
}

/** Maps all defects of a token to one response, from which a forger learns nothing. */
async function clearly(verify: () => VerifiedToken | Promise<VerifiedToken>): Promise<VerifiedToken> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw unauthorized('The access token has expired: get a new one.', 'token_expired');
    }
    if (error instanceof errors.JOSEError || error instanceof ZodError) {
      throw unauthorized(invalidBearer);
    }
    throw error;
  }
}

/** The commonest mistake in OIDC_ISSUER, for the log. */
const almost = (named: string | undefined, issuer: string | undefined): Error | undefined =>
  issuer !== undefined && named?.replace(/\/$/, '') === issuer.replace(/\/$/, '')
    ? new Error(
        `OIDC_ISSUER is ${issuer}, but its tokens name ${named}: set it to exactly that, with or without the slash`,
      )
    : undefined;

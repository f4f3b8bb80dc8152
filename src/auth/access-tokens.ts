import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { invalid, unauthorized } from '../core/errors.ts';
import { lowerRole, type MemberRole, memberRoles } from '../core/roles.ts';
import type { Credential, Viewer } from '../core/viewer.ts';
import type { Database } from '../database/client.ts';
import { withBudgets, withSettings } from './budgets/of-workspace.ts';
import { viewerOfPerson } from './invited.ts';
import { makerOfToken, type TokenMaker } from './makers.ts';
import { MAX_TTL_SECONDS, SIGNING_ALGORITHM, type SigningKeys } from './signing-keys.ts';
import type { VerifiedToken } from './token-cache.ts';

const AUDIENCE = 'parley';
/** Keeps other JWTs from being accepted as access tokens (RFC 9068). */
const TYPE = 'at+jwt';
const DEFAULT_TTL_SECONDS = 3_600;

const credentials = ['person', 'operator', 'minted'] as const satisfies readonly Credential[];

/** Whom a token represents. The role is an upper bound: the member's current role may be lower. */
export type TokenClaims = {
  workspaceId: string;
  userId: string;
  membershipId: string;
  role: MemberRole;
} & ({ credential: 'person' | 'operator' } | { credential: 'minted'; maker: TokenMaker });

type Options = { issuer: string; keys: SigningKeys; database: Database; now: () => Date };

const payloadShape = z.object({
  sub: z.string(),
  exp: z.number(),
  workspace: z.string(),
  membership: z.string(),
  role: z.enum(memberRoles),
  // Tokens from before this claim may have been created by anybody: assume the least privileged.
  credential: z.enum(credentials).default('minted'),
  // The creator of a minted token: an app and the version of its secret, or a member.
  app: z.string().optional(),
  secret: z.string().optional(),
  maker: z.string().optional(),
});

/** A token without a workspace. */
const personShape = z.object({
  exp: z.number(),
  credential: z.literal('person'),
  email: z.string(),
  workspace: z.undefined().optional(),
});

/** Creates and verifies the access tokens that the service signs itself. */
export function createAccessTokens({ issuer, keys, database, now }: Options) {
  async function signed(claims: JWTPayload, subject: string, ttl: number): Promise<string> {
    if (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_TTL_SECONDS) {
      throw invalid(`ttl: must be a whole number of seconds from 1 to ${MAX_TTL_SECONDS}`);
    }
    const { kid, key } = await keys.current();
    const issuedAt = Math.floor(now().getTime() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: TYPE, kid })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ttl)
      .sign(key);
  }

  return {
    async sign(claims: TokenClaims, ttl = DEFAULT_TTL_SECONDS) {
      return signed(payloadOf(claims), claims.userId, ttl);
    },

    /** Signs a token for the owner of an email, who need not be a member of any workspace yet. */
    async signPerson(email: string, ttl = DEFAULT_TTL_SECONDS) {
      return signed({ credential: 'person', email }, email, ttl);
    },

    /** Verifies signature, issuer, audience and times. Throws an error of jose, or 401 `unauthorized`. */
    async verify(bearer: string): Promise<VerifiedToken> {
      const { payload } = await jwtVerify(bearer, async ({ kid }) => (await keys.find(kid ?? '')) ?? unknownKey(), {
        algorithms: [SIGNING_ALGORITHM],
        typ: TYPE,
        issuer,
        audience: AUDIENCE,
        currentDate: now(),
      });
      const person = personShape.safeParse(payload).data;
      if (person) {
        const viewer = () => viewerOfPerson(database, person.email, { inSeveral: 'invited' });
        return { expiresAt: person.exp * 1000, viewer };
      }
      const claims = payloadShape.parse(payload);
      return { expiresAt: claims.exp * 1000, viewer: () => viewerOf(database, claims) };
    },
  };
}

function payloadOf(claims: TokenClaims) {
  const { workspaceId: workspace, membershipId: membership, role, credential } = claims;
  const identity = { workspace, membership, role, credential };
  if (claims.credential !== 'minted') return identity;
  const { maker } = claims;
  if ('membershipId' in maker) return { ...identity, maker: maker.membershipId };
  return { ...identity, app: maker.appId, secret: maker.secretVersion };
}

/**
 * Applies the current state: a deleted member is rejected, and a demoted one may do less than the token says. The same
 * holds for the creator of a minted token.
 */
async function viewerOf(database: Database, claims: z.infer<typeof payloadShape>): Promise<Viewer> {
  const { workspace: workspaceId, membership: membershipId, sub: userId, app: appId, credential } = claims;
  const member = await database.membership.findFirst({
    where: { id: membershipId, workspaceId, userId, acceptedAt: { not: null } },
    select: { role: true, user: { select: { email: true } }, workspace: withSettings },
  });
  if (!member)
    throw unauthorized('The member that this token was issued for no longer exists: get a token for another one.');
  const memberRole = lowerRole(claims.role, member.role);
  const identity = { workspaceId, credential, userId, membershipId, appId: appId ?? null };
  if (credential === 'minted') {
    const { highest, maker } = await makerOfToken(database, { ...claims, workspaceId, membershipId });
    const secret = claims.secret ? { secretVersion: claims.secret } : {};
    return withBudgets({ ...identity, ...secret, role: lowerRole(memberRole, highest), maker }, member.workspace);
  }
  const viewer = withBudgets({ ...identity, role: memberRole }, member.workspace);
  return credential === 'person' ? { ...viewer, invitee: { email: member.user.email } } : viewer;
}

function unknownKey(): never {
  throw unauthorized('This token was signed with a key that is unknown here or no longer valid: get a new token.');
}

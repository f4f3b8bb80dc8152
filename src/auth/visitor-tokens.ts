import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { unauthorized } from '../core/errors.ts';
import type { WidgetVisitor } from '../core/viewer.ts';
import { SIGNING_ALGORITHM, type SigningKeys } from './signing-keys.ts';

const AUDIENCE = 'parley-widget';
/** Type and audience differ from access tokens', so neither kind is accepted in place of the other. */
const TYPE = 'visitor+jwt';
/** In seconds. The widget renews its token by itself, as long as its channel admits it. */
export const VISITOR_TTL_SECONDS = 900;

/** A visitor of a widget, and what admitted it. */
type VisitorClaims = {
  workspaceId: string;
  channelId: string;
  agentId: string;
  visitorId: string;
  /** The publishable token that was presented: once the channel has a different one, the visitor's token is invalid. */
  publishableToken: string;
  /** Who the visitor is on the site, and which secret of the channel the site signed that with. */
  user?: { id: string; values: WidgetVisitor['stated'] & object; secretVersion: string } | undefined;
};

export type VisitorTokens = ReturnType<typeof createVisitorTokens>;
type Options = { issuer: string; keys: SigningKeys; now: () => Date };

const payloadShape = z.object({
  sub: z.string(),
  workspace: z.string(),
  channel: z.string(),
  agent: z.string(),
  key: z.string(),
  user: z
    .object({
      id: z.string(),
      values: z.array(z.object({ field: z.string(), fieldId: z.string().optional(), value: z.unknown() })),
      secretVersion: z.string(),
    })
    .optional(),
});

/**
 * Creates and verifies the tokens of a widget's visitors: each represents one visitor of one channel, and no member.
 */
export function createVisitorTokens({ issuer, keys, now }: Options) {
  return {
    async sign({ workspaceId, channelId, agentId, visitorId, publishableToken, user }: VisitorClaims): Promise<string> {
      const { kid, key } = await keys.current();
      const issuedAt = Math.floor(now().getTime() / 1000);
      return new SignJWT({ workspace: workspaceId, channel: channelId, agent: agentId, key: publishableToken, user })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: TYPE, kid })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(visitorId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + VISITOR_TTL_SECONDS)
        .sign(key);
    },

    /** Returns the claims of a visitor's token. Throws 401 `unauthorized` or `token_expired`. */
    async verify(bearer: string): Promise<VisitorClaims> {
      try {
        const { payload } = await jwtVerify(bearer, async ({ kid }) => (await keys.find(kid ?? '')) ?? refuse(), {
          algorithms: [SIGNING_ALGORITHM],
          typ: TYPE,
          issuer,
          audience: AUDIENCE,
          currentDate: now(),
        });
        const { sub: visitorId, workspace, channel, agent, key, user } = payloadShape.parse(payload);
        return { workspaceId: workspace, channelId: channel, agentId: agent, visitorId, publishableToken: key, user };
      } catch (error) {
        if (error instanceof errors.JWTExpired)
          throw unauthorized(
            'The visitor token has expired: get a new one with the publishable token of the widget.',
            'token_expired',
          );
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) refuse();
        throw error;
      }
    },
  };
}

function refuse(): never {
  throw unauthorized('The bearer is not a valid visitor token: get one with the publishable token of the widget.');
}

import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { unauthorized } from '../core/errors.ts';
import { SIGNING_ALGORITHM, type SigningKeys } from './signing-keys.ts';

const AUDIENCE = 'parley-widget';
/** Neither this nor the audience is that of access tokens: no other surface takes such a token, nor the widget theirs. */
const TYPE = 'visitor+jwt';
/** In seconds. The widget gets a new one by itself, as long as its channel lets it in. */
export const VISITOR_TTL_SECONDS = 900;

/** A visitor of a widget, and what let it in. */
export type VisitorClaims = {
  workspaceId: string;
  channelId: string;
  agentId: string;
  visitorId: string;
  /** The publishable token that was given: when the channel has another one, this token is worth nothing. */
  publishableToken: string;
};

export type VisitorTokens = ReturnType<typeof createVisitorTokens>;
type Options = { issuer: string; keys: SigningKeys; now: () => Date };

const payloadShape = z.object({
  sub: z.string(),
  workspace: z.string(),
  channel: z.string(),
  agent: z.string(),
  key: z.string(),
});

/** The tokens of those who chat through a widget: each stands for one visitor of one channel, and for no member. */
export function createVisitorTokens({ issuer, keys, now }: Options) {
  return {
    async sign({ workspaceId, channelId, agentId, visitorId, publishableToken }: VisitorClaims): Promise<string> {
      const { kid, key } = await keys.current();
      const issuedAt = Math.floor(now().getTime() / 1000);
      return new SignJWT({ workspace: workspaceId, channel: channelId, agent: agentId, key: publishableToken })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: TYPE, kid })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(visitorId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + VISITOR_TTL_SECONDS)
        .sign(key);
    },

    /** What a visitor's token says. Throws 401 `unauthorized` or `token_expired`. */
    async prove(bearer: string): Promise<VisitorClaims> {
      try {
        const { payload } = await jwtVerify(bearer, async ({ kid }) => (await keys.find(kid ?? '')) ?? refuse(), {
          algorithms: [SIGNING_ALGORITHM],
          typ: TYPE,
          issuer,
          audience: AUDIENCE,
          currentDate: now(),
        });
        const { sub: visitorId, workspace, channel, agent, key } = payloadShape.parse(payload);
        return { workspaceId: workspace, channelId: channel, agentId: agent, visitorId, publishableToken: key };
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw unauthorized('The visitor token has expired.', 'token_expired');
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) refuse();
        throw error;
      }
    },
  };
}

function refuse(): never {
  throw unauthorized('The bearer is not a valid visitor token: get one with the publishable token of the widget.');
}

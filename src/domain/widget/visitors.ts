import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { verifyIdentityToken } from '../../auth/identity-tokens.ts';
import { VISITOR_TTL_SECONDS } from '../../auth/visitor-tokens.ts';
import type { Context, Services } from '../../context.ts';
import { conflict, forbidden, invalid, unauthorized } from '../../core/errors.ts';
import { findUnstorable } from '../../core/json-limits.ts';
import type { Viewer } from '../../core/viewer.ts';
import { findByKey } from '../../database/directory.ts';
import type { Agent, Channel } from '../../database/generated/prisma/client.ts';
import { allowsOrigin } from '../agents/origins.ts';
import { checkValue, findWantedFields, isColumn } from '../leads/captured-values.ts';
import { parseInput } from '../shared/input.ts';

/**
 * A visitor who chats through a widget, and the context of their requests. `userId`: who they are on the site, as it
 * has signed; null if it has not.
 */
export type Visitor = {
  context: Context;
  agent: Agent;
  channel: Channel;
  channelId: string;
  id: string;
  userId: string | null;
};

/**
 * The request for a visitor token. With `secret`, which only the visitor's browser knows, they are the same visitor
 * again.
 */
const entry = z.object({
  channel: z.string().regex(/^pub_[0-9a-f]{32}$/, 'must be the publishable token of a widget: pub_…'),
  secret: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be the secret returned by an earlier response')
    .nullish(),
  /** A token that the site signed for its own user. */
  identity: z.string().max(4_000).nullish(),
});

/** `secret`: null for a user of the site, whom only the site's token lets in. */
type WidgetSession = { visitor: Visitor; token: string; expiresIn: number; secret: string | null };

/**
 * Issues a visitor token for the publishable token of a widget, to a page that may embed it. A user of the site is the
 * same visitor in all browsers, and takes over the conversations that this browser had before. Throws 400, 401 for an
 * unknown publishable token and for an identity that the site has not signed, 403 for another origin, and 409 if the
 * agent is not published.
 */
export async function enterWidget(services: Services, input: unknown, origin: string | null): Promise<WidgetSession> {
  const { channel: publishableToken, secret: visitorSecret, identity } = parseInput(entry, input);
  const channel = await findByKey(services.database, publishableToken, (of) =>
    channelWith(services, { ...of, publishableToken }),
  );
  if (!channel) throw unauthorized('No widget has this publishable token: it was replaced or is mistyped.');
  if (!origin) throw forbidden('The Origin header is missing: a widget is embedded in a page, whose browser sends it.');
  requireOrigin(channel, origin);
  const { id: channelId, workspaceId, agentId } = channel;
  const idOf = (known: string) => `vst_${hash('sha256', `${channelId}.${known}`, 'hex').slice(0, 32)}`;
  const secret = visitorSecret ?? randomBytes(32).toString('base64url');
  const anonymous = visitorOf(services, channel, idOf(secret));
  const user = identity ? await readIdentity(anonymous.context, channel, identity) : undefined;
  // A secret has no dot: no browser is a user of the site by its own.
  const visitor = user ? visitorOf(services, channel, idOf(`user.${user.id}`), user) : anonymous;
  if (user && visitorSecret) await moveConversations(anonymous, visitor);
  const claims = {
    workspaceId,
    channelId,
    agentId,
    visitorId: visitor.id,
    publishableToken,
    user: user && { ...user, secretVersion: secretVersionOf(channel) },
  };
  return {
    visitor,
    token: await services.tokens.visitors.sign(claims),
    expiresIn: VISITOR_TTL_SECONDS,
    secret: user ? null : secret,
  };
}

/**
 * Returns the visitor of a token, with the current channel and agent. Throws 401 if the token or its publishable token
 * is no longer valid, 403 for another origin, and 409 if the agent is no longer published.
 */
export async function recognizeVisitor(services: Services, bearer: string, origin: string | null): Promise<Visitor> {
  const {
    workspaceId,
    channelId: id,
    agentId,
    visitorId,
    publishableToken,
    user,
  } = await services.tokens.visitors.verify(bearer);
  const channel = await channelWith(services, { workspaceId, id, agentId, publishableToken });
  if (!channel) throw unauthorized('The widget that this token was issued for no longer exists: embed another one.');
  // Browsers omit Origin on same-origin reads.
  if (origin) requireOrigin(channel, origin);
  if (user && user.secretVersion !== secretVersionOf(channel))
    throw unauthorized('The identity secret of the widget was replaced after this token was issued: get a new token.');
  return visitorOf(services, channel, visitorId, user);
}

/** What a browser's visitor has said before the site says who they are becomes the user's. */
async function moveConversations({ id, channelId, context }: Visitor, user: Visitor): Promise<void> {
  const { database, viewer, now } = context;
  await database.$executeRaw`
    UPDATE "Conversation" SET "platformUserIdentifier" = ${user.id}, "updatedAt" = ${now()},
      "context" = "context" || jsonb_build_object('user', ${user.userId}::text)
    WHERE "workspaceId" = ${viewer.workspaceId} AND "channelId" = ${channelId} AND "platformUserIdentifier" = ${id}`;
}

type WithAgent = Channel & { agent: Agent };

const channelWith = ({ database }: Services, where: object): Promise<WithAgent | null> =>
  database.channel.findFirst({ where: { ...where, platform: 'widget', removedAt: null }, include: { agent: true } });

function requireOrigin({ origins }: Channel, origin: string): void {
  if (allowsOrigin(origins, origin)) return;
  throw forbidden(
    `Pages of ${origin.slice(0, 255)} cannot embed this widget: add the origin to the origins of its channel.`,
  );
}

function visitorOf(services: Services, { agent, ...channel }: WithAgent, id: string, user?: SiteUser): Visitor {
  if (agent.status === 'draft')
    throw conflict(
      'The agent is a draft: publish it with the GraphQL mutation publishAgent before it can answer in public.',
    );
  if (agent.status === 'archived') throw conflict('The agent is archived and accepts no messages: use another one.');
  const { workspaceId } = channel;
  const nobody = { userId: null, membershipId: null, appId: null };
  const visitor = { id, channelId: channel.id, ...(user && { userId: user.id, stated: user.values }) };
  const viewer: Viewer = { workspaceId, role: 'visitor', credential: 'visitor', ...nobody, visitor };
  return { context: { ...services, viewer }, agent, channel, channelId: channel.id, id, userId: user?.id ?? null };
}

/** A user of the site, as a token that it signed says: their id there, and values of their lead. */
type SiteUser = { id: string; values: { field: string; fieldId?: string; value: unknown }[] };

const id = z.string().trim().min(1, 'must not be empty').max(200);
/** `user_id`, as for Intercom; `sub`, as the standard has it. */
const claims = z
  .looseObject({ sub: id.optional(), user_id: id.optional(), custom: z.record(z.string(), z.unknown()).nullish() })
  .refine(({ sub, user_id }) => sub ?? user_id, {
    path: ['sub'],
    error: 'is required: the id of the user on your site',
  });

/**
 * Verifies a token that a site signed for one of its users. Values that a lead cannot have are left out, since the user
 * could not correct them. Throws 400, and 401 for a token that is not the channel's, has expired or is
 * valid for too long.
 */
async function readIdentity(context: Context, channel: Channel, token: string): Promise<SiteUser> {
  if (!channel.identitySecretCipher)
    throw invalid(
      'identity: the channel has no identity secret: make one with the GraphQL mutation rotateIdentitySecret',
    );
  const secret = context.secrets.decrypt(channel.identitySecretCipher);
  const payload = await verifyIdentityToken(context, token, secret);
  const issues = findUnstorable(payload);
  if (issues.length > 0) throw invalid(issues);
  const { sub, user_id, custom, ...columns } = parseInput(claims, payload);
  const given = { ...custom, ...Object.fromEntries(Object.entries(columns).filter(([name]) => isColumn(name))) };
  const values = (await findWantedFields(context)).flatMap((field) => {
    const value = Object.hasOwn(given, field.name) ? checkValue(field, given[field.name] as never) : undefined;
    return value === undefined ? [] : [{ field: field.name, ...(field.id && { fieldId: field.id }), value }];
  });
  return { id: sub ?? user_id ?? '', values };
}

/** Identifies the secret that a visitor's token was issued under: once the channel has another one, it is invalid. */
const secretVersionOf = ({ identitySecretCipher }: Channel): string =>
  hash('sha256', identitySecretCipher ?? '', 'hex').slice(0, 16);

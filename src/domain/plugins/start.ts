import { createNonce, hashOf, isBoundTo } from '../../auth/browser-binding.ts';
import { findAppRules, secretVersionOf } from '../../auth/makers.ts';
import { addressOf } from '../../config/config.ts';
import type { Services } from '../../context.ts';
import type { Actor } from '../../core/actor.ts';
import { may } from '../../core/permissions.ts';
import { findByKey } from '../../database/directory.ts';
import type { Credential, PluginGrant } from '../../database/generated/prisma/client.ts';
import { accepted } from '../workspace/memberships.ts';
import { serverAt } from './origins.ts';

/**
 * The sealed part of an authorization: where the user is sent, the PKCE verifier, the only server that may receive it,
 * who started it, and the origins that the tokens are for. An earlier version did not seal the latter.
 */
export type Sealed = {
  url: string;
  verifier: string;
  server: string | null;
  actor: Actor;
  tokens?: Pick<Credential, 'origins' | 'refreshOrigins'>;
  /** For an app, and for a token that it got for a member: the secret that the app had. */
  secretVersion?: string | undefined;
};

export const readSealed = ({ secrets }: Pick<Services, 'secrets'>, { sealedVerifier }: PluginGrant): Sealed =>
  JSON.parse(secrets.decrypt(sealedVerifier)) as Sealed;

/** Why an authorization fails, as shown to the user. */
export const reasons = {
  unknown: 'This authorization is unknown, was already used, or took longer than ten minutes. Start again.',
  mayNoLonger: 'The person or app that started this authorization is no longer allowed to.',
  moved: 'The authorization server of the plugin has changed in the meantime. Start again.',
  otherBrowser:
    'This authorization was started in another browser, and nothing was stored. If you started it, start again and use the same browser until the end. If somebody else sent you here, they were trying to use your account.',
} as const;

/** Creates a ticket: the URL of the start page with it, and its hash to store. */
export function newStartLink({ config }: Pick<Services, 'config'>): { url: string; ticketHash: string } {
  const ticket = createNonce();
  return { url: `${addressOf(config)}/oauth/start?ticket=${ticket}`, ticketHash: hashOf(ticket) };
}

/** A pending authorization, as its start page shows it. */
export type Start = {
  /** Names the cookie. Each authorization has its own, so that none can be used for another. */
  key: string;
  grant: PluginGrant;
  pluginName: string;
  agentName: string;
  workspaceName: string;
  starter: string;
  /** The URL of the authorization server. */
  url: string;
};
type Refused = { refused: string };

/** Finds the authorization of a ticket. Changes nothing, since mail filters and chats also open links. */
export async function findStart(services: Services, ticket: string): Promise<Start | Refused> {
  const { database, now } = services;
  const ticketHash = hashOf(ticket);
  const include = { plugin: { include: { workspace: true } }, agent: { select: { name: true } } } as const;
  const found = await findByKey(database, ticketHash, (of) =>
    database.pluginGrant.findFirst({ where: { ...of, ticketHash }, include }),
  );
  if (!found || found.expiresAt <= now()) return { refused: reasons.unknown };
  const { plugin, agent, ...grant } = found;
  const starter = await findStarter(services, grant);
  if (!starter) return { refused: reasons.mayNoLonger };
  const { url, server } = readSealed(services, grant);
  if (server !== serverAt(plugin.tokenUrl)) return { refused: reasons.moved };
  return {
    key: keyOf(grant.stateHash),
    grant,
    pluginName: plugin.nameForHuman,
    agentName: agent.name,
    workspaceName: plugin.workspace.name,
    starter: starter.name,
    url,
  };
}

/** The name of an authorization in its cookie: a part of the hash, since names must be short. */
export const keyOf = (stateHash: string): string => stateHash.slice(0, 16);

/** Whether the browser with this nonce may continue: the authorization is bound to it, or to no browser yet. */
export const isFreeFor = ({ grant }: Start, nonce: string | undefined): boolean =>
  grant.browserHash === null || isBoundTo(grant.browserHash, nonce);

/** Binds an authorization to the first browser that continues it. Resolves to whether that is this one. */
export async function bindTo({ database }: Services, start: Start, nonce: string): Promise<boolean> {
  const { workspaceId, stateHash } = start.grant;
  const browserHash = hashOf(nonce);
  const { count } = await database.pluginGrant.updateMany({
    where: { workspaceId, stateHash, browserHash: null },
    data: { browserHash },
  });
  if (count === 1) return true;
  const known = await database.pluginGrant.findUnique({
    where: { workspaceId_stateHash: { workspaceId, stateHash } },
    select: { browserHash: true },
  });
  return known !== null && isBoundTo(known.browserHash, nonce);
}

/**
 * The member or app that started an authorization: its actor id and a name. Null if it no longer exists or has lost the
 * permission, if an app's secret was replaced, or if one of these is so of who made the token that it was started with.
 */
export async function findStarter(
  services: Services,
  grant: PluginGrant,
): Promise<{ id: string; name: string } | null> {
  const { database } = services;
  const { workspaceId, startedBy } = grant;
  if (startedBy.startsWith('app:')) {
    const where = { workspaceId_id: { workspaceId, id: startedBy.slice(4) } };
    const app = await database.app.findUnique({ where, select: { id: true, name: true, secretHash: true } });
    const { secretVersion } = readSealed(services, grant);
    if (!app || (secretVersion && secretVersion !== secretVersionOf(app.secretHash))) return null;
    return { id: app.id, name: `The app ${app.name}` };
  }
  const member = await database.membership.findFirst({
    where: { workspaceId, id: startedBy, ...accepted },
    select: { role: true, userId: true, user: { select: { name: true, email: true } } },
  });
  if (!member || !may(member, 'credentials.authorize') || !(await makerMay(services, grant))) return null;
  return { id: member.userId, name: `${member.user.name} (${member.user.email})` };
}

/** Whether a minted token that started an authorization would be good now; true for other tokens. */
async function makerMay(services: Services, grant: PluginGrant): Promise<boolean> {
  const { workspaceId, startedBy: membershipId } = grant;
  const { actor, secretVersion } = readSealed(services, grant);
  if (!actor.onBehalfOfId || !actor.id) return true;
  if (actor.kind === 'app') {
    const app = await findAppRules(services.database, { workspaceId, appId: actor.id, membershipId });
    const isSame = !secretVersion || app?.secretVersion === secretVersion;
    return isSame && !!app?.highest && may({ role: app.highest }, 'credentials.authorize');
  }
  const where = { workspaceId, userId: actor.id, ...accepted };
  const maker = await services.database.membership.findFirst({ where, select: { role: true } });
  return maker !== null && may(maker, 'credentials.authorize');
}

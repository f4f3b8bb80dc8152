import { hash } from 'node:crypto';
import { may, permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import { transact } from '../database/client.ts';
import { orNull } from '../database/found.ts';
import type { Plugin, PluginGrant } from '../database/generated/prisma/client.ts';
import { conflict, notFound } from '../errors.ts';
import { beginGrant, finishGrant, GrantRefused } from '../plugins/oauth.ts';
import type { Services } from '../services.ts';
import { findAgent } from './agents.ts';
import { columnsOf } from './credential-tokens.ts';
import { accepted } from './memberships.ts';
import { oauthClientOf, redirectUriOf, serverAt } from './plugin-client.ts';

/** What finishes an authorization, and the server it was begun for, which alone may be told. */
type Sealed = { verifier: string; server: string | null };

/** How long a user has to authorize a plugin, in milliseconds. */
const patienceMs = 600_000;

/**
 * Begins an authorization: answers the address at which a user allows the agent to call the plugin in their name. Throws
 * 404, and 409 for a plugin that is not called by OAuth or not set up for it.
 */
export async function authorizePlugin(
  context: Context,
  { agentId, pluginId }: { agentId: string; pluginId: string },
): Promise<{ url: string; expiresAt: Date }> {
  permit(context, 'credentials.write');
  const { database, viewer, secrets, now } = context;
  await findAgent(context, agentId);
  const plugin = await database.plugin.findFirst({ where: { workspaceId: viewer.workspaceId, id: pluginId } });
  if (!plugin) throw notFound('Plugin');
  if (plugin.authType !== 'oauth') throw conflict('The plugin is not called by OAuth: its auth.type says how.');
  const redirectUri = redirectUriOf(context, pluginId);
  const { url, state, verifier } = await beginGrant(oauthClientOf(context, plugin), redirectUri);
  const expiresAt = new Date(now().getTime() + patienceMs);
  await database.pluginGrant.deleteMany({ where: { expiresAt: { lte: now() } } });
  await database.pluginGrant.create({
    data: {
      stateHash: hashOf(state),
      workspaceId: viewer.workspaceId,
      agentId,
      pluginId,
      startedBy: starterOf(context),
      sealedVerifier: secrets.encrypt(JSON.stringify({ verifier, server: serverAt(plugin.tokenUrl) } satisfies Sealed)),
      redirectUri,
      expiresAt,
    },
  });
  return { url, expiresAt };
}

/** What came of an authorization, in words for the user who came back from it. */
export type Completion = { granted: boolean; message: string };

/**
 * Ends an authorization with what the server sent the user back with. The state is proof of where it began, is taken once,
 * and only while whoever began it may still do so. Rejects for nothing that the user or the server did.
 */
export async function completeAuthorization(
  services: Services,
  pluginId: string,
  parameters: URLSearchParams,
): Promise<Completion> {
  const { database, secrets, guardedFetch, log } = services;
  const state = parameters.get('state') ?? '';
  const grant = await takeGrant(services, hashOf(state), pluginId);
  if (!grant) return refused('This authorization is not known, was used already, or took longer than ten minutes.');
  const where = { workspaceId_id: { workspaceId: grant.workspaceId, id: pluginId } };
  const plugin = await database.plugin.findUnique({ where });
  const grantedBy = await actorStill(services, grant);
  if (!plugin || !grantedBy) return refused('Whoever began this authorization may no longer do so.');
  const { verifier, server } = JSON.parse(secrets.decrypt(grant.sealedVerifier)) as Sealed;
  if (server !== serverAt(plugin.tokenUrl)) return moved;
  try {
    const token = await finishGrant(
      oauthClientOf(services, plugin),
      { parameters, state, verifier, redirectUri: grant.redirectUri },
      { fetch: guardedFetch },
    );
    const kept = await keepCredential(services, { ...grant, server }, { ...columnsOf(services, token), grantedBy });
    return kept ? { granted: true, message: `${nameOf(plugin)} may now be called by the agent.` } : moved;
  } catch (error) {
    if (error instanceof GrantRefused) return refused(`${error.message}. Begin again.`);
    log.error({ err: error, pluginId }, 'an authorization of a plugin could not be ended');
    return refused('Something went wrong on our side. Begin again.');
  }
}

const refused = (message: string): Completion => ({ granted: false, message });
const moved = refused('The authorization server of the plugin was changed meanwhile. Begin again.');
const nameOf = ({ nameForHuman }: Plugin): string => nameForHuman;
const hashOf = (state: string): string => hash('sha256', state, 'hex');

/** Keeps what was granted while the plugin has still the server that granted it, which alone is sent it again. */
function keepCredential(
  { database }: Services,
  {
    workspaceId,
    agentId,
    pluginId,
    server,
  }: Pick<PluginGrant, 'workspaceId' | 'agentId' | 'pluginId'> & Pick<Sealed, 'server'>,
  granted: ReturnType<typeof columnsOf> & { grantedBy: string },
): Promise<boolean> {
  const key = { workspaceId, agentId, pluginId };
  return transact(database, async (tx) => {
    const [plugin] = await tx.$queryRaw<Plugin[]>`
      SELECT "tokenUrl" FROM "Plugin" WHERE "workspaceId" = ${workspaceId} AND "id" = ${pluginId} FOR UPDATE`;
    if (!plugin || serverAt(plugin.tokenUrl) !== server) return false;
    const data = { refreshTokenCipher: null, scope: '', refreshingUntil: null, ...granted };
    await tx.credential.upsert({
      where: { workspaceId_agentId_pluginId: key },
      create: { ...key, ...data },
      update: data,
    });
    return true;
  });
}

/** Takes a pending authorization away: whoever comes second finds none. */
async function takeGrant(
  { database, now }: Services,
  stateHash: string,
  pluginId: string,
): Promise<PluginGrant | null> {
  const taken = await orNull(database.pluginGrant.delete({ where: { stateHash, pluginId } }));
  return taken && taken.expiresAt > now() ? taken : null;
}

const starterOf = ({ viewer }: Context): string => viewer.membershipId ?? `app:${viewer.appId}`;

/** The id of whoever began it, as records name them; null when they are gone or may no longer do so. */
async function actorStill({ database }: Services, { workspaceId, startedBy }: PluginGrant): Promise<string | null> {
  if (startedBy.startsWith('app:')) {
    const where = { workspaceId_id: { workspaceId, id: startedBy.slice(4) } };
    return (await database.app.findUnique({ where, select: { id: true } }))?.id ?? null;
  }
  const where = { workspaceId, id: startedBy, ...accepted };
  const member = await database.membership.findFirst({ where, select: { role: true, userId: true } });
  return member && may(member.role, 'credentials.write') ? member.userId : null;
}

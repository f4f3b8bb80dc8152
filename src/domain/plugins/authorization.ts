import { hashOf, isBoundTo } from '../../auth/browser-binding.ts';
import type { Context, Services } from '../../context.ts';
import { auditActorOf } from '../../core/actor.ts';
import { conflict, failedUnexpectedly, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { transact } from '../../database/client.ts';
import { actingAs } from '../../database/deadline.ts';
import { addToDirectory, findByKey } from '../../database/directory.ts';
import type { Credential, Plugin, PluginGrant } from '../../database/generated/prisma/client.ts';
import { beginGrant, finishGrant, GrantRefused } from '../../plugins/oauth.ts';
import { findAgent } from '../agents/agents.ts';
import { oauthClientOf, redirectUriOf } from './client.ts';
import { columnsOf } from './credential-tokens.ts';
import { apiOrigins, described, originsAt, serverAt } from './origins.ts';
import { findStarter, newStartLink, readSealed, reasons, type Sealed } from './start.ts';

/** How long a user has to authorize a plugin, in milliseconds. */
const maxAgeMs = 600_000;

/**
 * Starts an authorization. Returns the URL of its start page, from which a user can let the agent call the plugin in
 * their name. Throws 403 for an API key, 404, and 409 for a plugin without OAuth or not set up for it.
 */
export async function authorizePlugin(
  context: Context,
  { agentId, pluginId }: { agentId: string; pluginId: string },
): Promise<{ url: string; expiresAt: Date }> {
  permit(context, 'credentials.authorize');
  const { database, viewer, secrets, now } = context;
  await findAgent(context, agentId);
  const plugin = await database.plugin.findFirst({
    where: { workspaceId: viewer.workspaceId, id: pluginId },
    include: { interface: { select: described } },
  });
  if (!plugin) throw notFound('Plugin');
  if (plugin.authType !== 'oauth')
    throw conflict('The plugin does not use OAuth (see its auth.type): it needs no authorization.');
  const redirectUri = redirectUriOf(context, pluginId);
  const { url: authorizationUrl, state, verifier } = await beginGrant(oauthClientOf(context, plugin), redirectUri);
  const actor = auditActorOf(viewer, null);
  const tokens = {
    origins: apiOrigins(plugin, plugin.interface),
    refreshOrigins: originsAt(plugin.tokenUrl, plugin.revocationUrl),
  };
  const { secretVersion } = viewer;
  const server = serverAt(plugin.tokenUrl);
  const sealed: Sealed = { url: authorizationUrl, verifier, server, actor, tokens, secretVersion };
  const { url, ticketHash } = newStartLink(context);
  const expiresAt = new Date(now().getTime() + maxAgeMs);
  await database.pluginGrant.deleteMany({ where: { workspaceId: viewer.workspaceId, expiresAt: { lte: now() } } });
  const stateHash = hashOf(state);
  await addToDirectory(context, viewer.workspaceId, [stateHash, ticketHash]);
  await database.pluginGrant.create({
    data: {
      stateHash,
      ticketHash,
      workspaceId: viewer.workspaceId,
      agentId,
      pluginId,
      startedBy: starterOf(context),
      sealedVerifier: secrets.encrypt(JSON.stringify(sealed)),
      redirectUri,
      expiresAt,
    },
  });
  return { url, expiresAt };
}

/** The result of an authorization, with a message for the returning user. */
type Completion = { granted: boolean; message: string };

/**
 * Completes an authorization with the parameters of the redirect. The state can be used once, only by the browser whose
 * nonce it is bound to, and only while the person who started it still has the permission. Failures of the user or the
 * server are returned, not thrown.
 */
export async function completeAuthorization(
  services: Services,
  { pluginId, parameters, nonce }: { pluginId: string; parameters: URLSearchParams; nonce: string | undefined },
): Promise<Completion> {
  const { database, guardedFetch, log } = services;
  const state = parameters.get('state') ?? '';
  const grant = await claimGrant(services, { stateHash: hashOf(state), pluginId, nonce });
  if (typeof grant === 'string') return refused(reasons[grant]);
  const where = { workspaceId_id: { workspaceId: grant.workspaceId, id: pluginId } };
  const plugin = await database.plugin.findUnique({ where });
  const starter = await findStarter(services, grant);
  if (!plugin || !starter) return refused(reasons.mayNoLonger);
  const { verifier, server, actor, tokens } = readSealed(services, grant);
  if (server !== serverAt(plugin.tokenUrl) || !tokens) return settingsChanged;
  try {
    const token = await finishGrant(
      oauthClientOf(services, plugin),
      { parameters, state, verifier, redirectUri: grant.redirectUri },
      { fetch: guardedFetch },
    );
    const granted = { ...columnsOf(services, token), ...tokens, grantedBy: starter.id };
    const saved = await actingAs(actor, () => saveCredential(services, { ...grant, server }, granted));
    return saved ? { granted: true, message: `${nameOf(plugin)} can now be called by the agent.` } : settingsChanged;
  } catch (error) {
    if (error instanceof GrantRefused) {
      log.warn({ err: error, pluginId }, 'the authorization server of a plugin gave no token');
      return refused(`${error.message}. Start again.`);
    }
    log.error({ err: error, pluginId }, 'the authorization of a plugin could not be completed');
    return refused(`${failedUnexpectedly} Start again.`);
  }
}

const refused = (message: string): Completion => ({ granted: false, message });
const settingsChanged = refused(reasons.moved);
const nameOf = ({ nameForHuman }: Plugin): string => nameForHuman;

/** Stores the credential, unless the plugin has moved to another server than the one that granted it. */
function saveCredential(
  { database }: Services,
  {
    workspaceId,
    agentId,
    pluginId,
    server,
  }: Pick<PluginGrant, 'workspaceId' | 'agentId' | 'pluginId'> & Pick<Sealed, 'server'>,
  granted: ReturnType<typeof columnsOf> & Pick<Credential, 'origins' | 'refreshOrigins' | 'grantedBy'>,
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

type GrantClaim = { stateHash: string; pluginId: string; nonce: string | undefined };

/**
 * Deletes a pending authorization and returns it: only the first caller gets it. Another browser leaves it untouched,
 * so that it can neither use nor spoil it.
 */
async function claimGrant(
  { database, now }: Services,
  { stateHash, pluginId, nonce }: GrantClaim,
): Promise<PluginGrant | 'unknown' | 'otherBrowser'> {
  const grant = await findByKey(database, stateHash, (of) =>
    database.pluginGrant.findFirst({ where: { ...of, stateHash, pluginId } }),
  );
  if (!grant || grant.expiresAt <= now()) return 'unknown';
  if (!isBoundTo(grant.browserHash, nonce)) return 'otherBrowser';
  const { count } = await database.pluginGrant.deleteMany({ where: { workspaceId: grant.workspaceId, stateHash } });
  return count === 1 ? grant : 'unknown';
}

const starterOf = ({ viewer }: Context): string => viewer.membershipId ?? `app:${viewer.appId}`;

import { z } from 'zod';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf, type Viewer } from '../../core/viewer.ts';
import { afterCommit } from '../../database/client.ts';
import type { Credential, Plugin } from '../../database/generated/prisma/client.ts';
import { orNull } from '../../database/query/found.ts';
import { insertionOrChange } from '../../database/query/write.ts';
import { revokeGrant } from '../../plugins/oauth.ts';
import { findAgent } from '../agents/agents.ts';
import { moment, parseInput } from '../shared/input.ts';
import { rowWrite } from '../shared/mutations.ts';
import { oauthClientOf } from './client.ts';
import { freshToken, isFresh } from './credential-tokens.ts';
import { originsOfStored, serverAt } from './origins.ts';

const credentialInput = z.object({
  accessToken: z.string().min(1, 'must not be empty').max(16_000),
  expiresAt: moment.nullish(),
});
/** The OAuth columns of a token that was set directly. */
const notGranted = {
  refreshTokenCipher: null,
  refreshOrigins: [],
  scope: '',
  status: 'active' as const,
  failure: null,
  refreshingUntil: null,
} satisfies Partial<Credential>;
type Pair = { agentId: string; pluginId: string };

/** Selects the credential of an agent for a plugin. */
export const credentialOf = ({ agentId, pluginId }: Pair, { workspaceId }: Viewer) => ({
  workspaceId,
  agentId,
  pluginId,
});

/** Selects it if its token can be used without being renewed. */
export const validCredential = (pair: Pair, viewer: Viewer, { now }: Context) => ({
  ...credentialOf(pair, viewer),
  ...isFresh(now()),
});

/**
 * Returns a valid token with which an agent calls a plugin: its own, renewed if it expires within a minute, or the one
 * of the workspace. Throws 404 if there is none, 409 `reauthorization_required` if it has expired and cannot be
 * renewed, and 503 if the authorization server cannot be reached.
 */
export async function readCredential(context: Context, pair: Pair): Promise<{ accessToken: string }> {
  permit(context, 'credentials.read');
  const found = await tokenFor(context, pair);
  if (!found) throw notFound('Credential of this plugin for this agent');
  return { accessToken: found.token };
}

/** The same for any viewer, with the origins that the token may be sent to; null if there is no token. */
export async function tokenFor(
  context: Context,
  { agentId, pluginId }: Pair,
  refused?: string,
): Promise<{ token: string; origins: string[] } | null> {
  const { database, viewer, secrets } = context;
  const { workspaceId } = viewer;
  const where = { workspaceId_agentId_pluginId: { workspaceId, agentId, pluginId } };
  const credential = await database.credential.findUnique({ where, include: { plugin: true } });
  if (credential) return { token: await freshToken(context, credential, refused), origins: credential.origins };
  const plugin = await database.plugin.findFirst({
    where: { workspaceId, id: pluginId, authType: 'service_http' },
    select: { serviceTokenCipher: true, serviceTokenOrigins: true },
  });
  if (!plugin?.serviceTokenCipher) return null;
  // Only for the workspace's own agents.
  const own = await database.agent.count({ where: { workspaceId, id: agentId } });
  if (own === 0) return null;
  return { token: secrets.decrypt(plugin.serviceTokenCipher), origins: plugin.serviceTokenOrigins };
}

/**
 * Returns the state of a credential; null if the agent has none for the plugin. Throws 404 if either does not exist.
 */
export async function findCredential(context: Context, { agentId, pluginId }: Pair): Promise<Credential | null> {
  permit(context, 'credentials.read');
  const { database, viewer } = context;
  const where = { workspaceId_agentId_pluginId: { workspaceId: viewer.workspaceId, agentId, pluginId } };
  const credential = await database.credential.findUnique({ where });
  if (!credential) await requirePair(context, { agentId, pluginId });
  return credential;
}

/** Throws 404 if the agent or the plugin does not exist. */
async function requirePair(context: Context, { agentId, pluginId }: Pair): Promise<void> {
  const { database, viewer } = context;
  await findAgent(context, agentId);
  const where = { workspaceId: viewer.workspaceId, id: pluginId };
  if ((await database.plugin.count({ where })) === 0) throw notFound('Plugin');
}

/** Sets the token with which an agent calls a plugin. Throws 404 if either does not exist. */
export const setCredential = rowWrite({
  model: 'Credential',
  permission: 'credentials.write',
  prepare: async (context, { agentId, pluginId, ...input }: Pair & z.input<typeof credentialInput>) => {
    const { accessToken, expiresAt } = parseInput(credentialInput, input);
    const { viewer, secrets } = context;
    await requirePair(context, { agentId, pluginId });
    const update = {
      tokenCipher: secrets.encrypt(accessToken),
      origins: await originsOfStored(context, pluginId),
      expiresAt: expiresAt ?? null,
      ...notGranted,
      grantedBy: actorOf(viewer),
    };
    const key = { workspaceId: viewer.workspaceId, agentId, pluginId };
    return insertionOrChange('Credential', { ...key, ...update }, { key: Object.keys(key), update });
  },
});

/**
 * Deletes the token with which an agent calls a plugin, and revokes it if the authorization server supports that.
 * Throws 404 if there is none.
 */
export async function deleteCredential(context: Context, { agentId, pluginId }: Pair): Promise<void> {
  permit(context, 'credentials.write');
  const { database, viewer } = context;
  const key = { workspaceId: viewer.workspaceId, agentId, pluginId };
  const where = { workspaceId_agentId_pluginId: key };
  const deleted = await orNull(database.credential.delete({ where, include: { plugin: true } }));
  if (!deleted) throw notFound('Credential of this plugin for this agent');
  await afterCommit(database, () => revoke(context, deleted));
}

async function revoke(
  context: Context,
  {
    refreshTokenCipher,
    refreshOrigins,
    plugin,
  }: Pick<Credential, 'refreshTokenCipher' | 'refreshOrigins'> & {
    plugin: Plugin;
  },
): Promise<void> {
  const { secrets, guardedFetch, log } = context;
  if (!refreshTokenCipher || !plugin.revocationUrl) return;
  try {
    const server = serverAt(plugin.revocationUrl);
    if (!server || !refreshOrigins.includes(server)) throw new Error(`The token was not granted by ${server}`);
    await revokeGrant(oauthClientOf(context, plugin), secrets.decrypt(refreshTokenCipher), { fetch: guardedFetch });
  } catch (error) {
    log.warn(
      { err: error, pluginId: plugin.id },
      'a token was deleted, but could not be revoked at its authorization server',
    );
  }
}

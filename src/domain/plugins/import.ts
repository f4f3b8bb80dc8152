import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { runFinal } from '../../database/final-transaction.ts';
import type { Plugin, PluginInterface, Prisma } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import { findServer } from '../../plugins/find-server.ts';
import { type LoadedPlugin, loadPlugin } from '../../plugins/load-plugin.ts';
import { modelName } from '../../plugins/names.ts';
import type { OAuthServer, Schema } from '../../plugins/types.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { beginningOf } from '../../text/shorten.ts';
import { parseInput } from '../shared/input.ts';
import { hasCredentials, noCredentials } from '../shared/web-address.ts';
import { maySendSecrets, secretsToKeep } from './client.ts';
import { originsOf } from './origins.ts';

const importInput = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2_000)
    .refine((value) => !hasCredentials(value), noCredentials),
});

/** An operation of a plugin, as described by its API. */
export type PluginTool = { name: string; description: string; method: string; url: string; arguments: Schema };
export type ToolsOfPlugin = { tools: PluginTool[]; skipped: string[]; title: string; version: string; readAt: Date };

/**
 * Creates a plugin from the manifest (`ai-plugin.json`) or OpenAPI description at a URL. Throws 400 with the reason if
 * it cannot be read or used.
 */
export async function importPlugin(context: Context, input: { url: string }): Promise<Plugin> {
  permit(context, 'plugins.write');
  const { url } = parseInput(importInput, input);
  const loaded = await load(context, url);
  const found = await find(context, loaded);
  const { workspaceId } = context.viewer;
  const id = newId('plugin');
  return runFinal(context, async (tx) => {
    const plugin = await tx.plugin.create({ data: { id, workspaceId, ...columnsOf(url, loaded, found.server) } });
    const pluginInterface = interfaceOf(context, loaded, found.failure);
    await tx.pluginInterface.create({ data: { workspaceId, pluginId: id, ...pluginInterface } });
    return plugin;
  });
}

/**
 * Reads the description of a plugin again, through its manifest if it has one; names and texts are kept. Throws 400
 * like `importPlugin`, 404, and 409 if the API is at an origin that the stored tokens were not given for.
 */
export async function refreshPlugin(context: Context, id: string): Promise<Plugin> {
  permit(context, 'plugins.write');
  const { database, viewer } = context;
  const { workspaceId } = viewer;
  const where = { workspaceId_id: { workspaceId, id } };
  const plugin = await database.plugin.findUnique({ where });
  if (!plugin) throw notFound('Plugin');
  const url = plugin.url || plugin.apiUrl;
  if (!url) throw conflict('The plugin has no address to import from: set url or api.url.');
  const loaded = await load(context, url);
  const tokens = await tokenOrigins(context, plugin);
  const strange = originsOf(loaded.interface.operations).find((origin) => tokens.some((own) => !own.includes(origin)));
  if (strange) {
    throw conflict(
      `The API is at ${strange}, which the stored tokens were not given for. Delete the service token and the credentials, refresh, and enter them again, or import the API as a new plugin.`,
    );
  }
  // A configured server receives our secret, so only people may change it.
  const isSet = plugin.authorizationUrl !== '' || plugin.tokenUrl !== '';
  const { server, failure } = isSet ? { server: null, failure: null } : await find(context, loaded);
  const found = server ? serverColumns(server) : {};
  const secretsKept = await secretsToKeep(context, id, found);
  return runFinal(context, async (tx) => {
    const pluginInterface = interfaceOf(context, loaded, failure);
    const key = { workspaceId, pluginId: id };
    await tx.pluginInterface.upsert({
      where: { workspaceId_pluginId: key },
      create: { ...key, ...pluginInterface },
      update: pluginInterface,
    });
    return tx.plugin.update({ where, data: { apiUrl: loaded.apiUrl, ...secretsKept, ...found } });
  });
}

/** The tools of a plugin, from their row. */
export const toolsOf = (row: PluginInterface): ToolsOfPlugin => ({
  ...row,
  tools: row.operations as unknown as PluginTool[],
});

async function load({ guardedFetch, viewer }: Context, url: string): Promise<LoadedPlugin> {
  try {
    return await loadPlugin(guardedFetch, viewer.workspaceId, url);
  } catch (error) {
    if (error instanceof FetchFailure || error instanceof ExtractFailure) throw invalid(`url: ${error.message}`);
    throw error;
  }
}

const find = (context: Context, loaded: LoadedPlugin) =>
  findServer(loaded, { fetch: context.guardedFetch, isTrusted: (url) => maySendSecrets(context, url) });

function columnsOf(
  url: string,
  { manifest, apiUrl, interface: pluginInterface }: LoadedPlugin,
  oauth: OAuthServer | null,
) {
  const tokenLocation = manifest?.token ?? pluginInterface.token;
  const columns = {
    apiUrl,
    ...(tokenLocation && {
      tokenIn: tokenLocation.in,
      tokenName: tokenLocation.name,
      tokenPrefix: tokenLocation.prefix,
    }),
    ...(oauth && serverColumns(oauth)),
  };
  if (manifest) {
    const { token: _, oauth: __, named: ___, ...texts } = manifest;
    return { ...texts, ...columns, url };
  }
  const name = pluginInterface.title || new URL(apiUrl).hostname;
  return {
    ...columns,
    nameForHuman: name,
    nameForModel: modelName(name),
    descriptionForHuman: beginningOf(pluginInterface.description, 2_000),
    descriptionForModel: beginningOf(pluginInterface.description, 2_000),
    authType:
      oauth || pluginInterface.named
        ? ('oauth' as const)
        : pluginInterface.token
          ? ('service_http' as const)
          : ('none' as const),
    hasUserAuthentication: oauth !== null || pluginInterface.named !== null,
  };
}

const serverColumns = ({ authorizationUrl, tokenUrl, revocationUrl, scope }: OAuthServer) => ({
  authorizationUrl,
  tokenUrl,
  ...(revocationUrl && { revocationUrl }),
  oauthScope: scope,
});

const interfaceOf = (
  { now }: Context,
  { apiUrl, interface: { title, version, operations, skipped } }: LoadedPlugin,
  failure: string | null,
) => ({
  address: apiUrl,
  title,
  version,
  skipped: failure ? [failure, ...skipped] : skipped,
  operations: operations as unknown as Prisma.InputJsonValue,
  readAt: now(),
});

/** The origins that each stored token of a plugin was given for. */
async function tokenOrigins({ database }: Context, plugin: Plugin): Promise<string[][]> {
  const { workspaceId, id: pluginId, serviceTokenCipher, serviceTokenOrigins } = plugin;
  const given = await database.credential.findMany({
    where: { workspaceId, pluginId },
    distinct: ['origins'],
    select: { origins: true },
  });
  return [...given.map(({ origins }) => origins), ...(serviceTokenCipher ? [serviceTokenOrigins] : [])];
}

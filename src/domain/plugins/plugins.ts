import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Plugin } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change, insertion, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { parseInput, requiredText } from '../shared/input.ts';
import { masked } from '../shared/masking.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { addressPattern, hasCredentials, noCredentials } from '../shared/web-address.ts';
import { redirectUriOf, secretsToKeep } from './client.ts';
import { originsAt, originsOfStored } from './origins.ts';

export const pluginList = listRule({
  model: 'Plugin',
  permission: 'plugins.read',
  analytics: { except: ['nameForHuman', 'nameForModel', 'description'] },
  orders: { createdAt: { type: 'date' }, nameForHuman: { type: 'text' } },
  filters: {
    agentId: { kind: 'related', relation: 'agentPlugins', column: 'agentId' },
    authType: { kind: 'in', column: 'authType' },
    createdAt: { kind: 'range', column: 'createdAt' },
    ids: { kind: 'in', column: 'id' },
    nameForHuman: { kind: 'text', column: 'nameForHuman' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  groups: { moments: ['createdAt'], by: { authType: { kind: 'value', column: 'authType' } } },
});

const text = z.string().max(2_000);
const webAddress = 'must be an http or https address, or empty';
const mailAddress = 'must be an email address, or empty';
const orEmpty = (schema: z.ZodType<string>, error: string) => z.union([z.literal(''), schema], error);
const address = orEmpty(
  z.url({ protocol: /^https?$/, error: webAddress }).meta({ pattern: addressPattern }),
  webAddress,
).refine((value) => !hasCredentials(value), noCredentials);
const auth = z.object({
  type: z.enum(['none', 'service_http', 'user_http', 'oauth']),
  tokenIn: z.enum(['header', 'query', 'cookie']).nullish(),
  tokenName: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, ".", "_" or "-"')
    .nullish(),
  tokenPrefix: z
    .string()
    .regex(/^[\x20-\x7e]{0,100}$/, 'must have at most 100 plain characters')
    .nullish(),
  serviceToken: z.string().max(16_000).nullish(),
  authorizationUrl: address.nullish(),
  tokenUrl: address.nullish(),
  revocationUrl: address.nullish(),
  scope: text.nullish(),
});
const api = z.object({
  type: z.literal('openapi').optional(),
  url: address.optional(),
  hasUserAuthentication: z.boolean().optional(),
});

export const pluginInput = z.object({
  schemaVersion: text.optional(),
  nameForHuman: requiredText(),
  nameForModel: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
  descriptionForHuman: text.optional(),
  descriptionForModel: text.optional(),
  auth: auth.optional(),
  api: api.optional(),
  logoUrl: address.optional(),
  contactEmail: orEmpty(z.email(mailAddress), mailAddress).optional(),
  legalInfoUrl: address.optional(),
  url: address.optional(),
  settingsUrl: address.optional(),
  oauthClientId: text.optional(),
  oauthClientSecret: text.optional(),
  disclaimer: text.optional(),
});
type PluginInput = z.input<typeof pluginInput>;

/** Creates a plugin, which agents can call once it is attached to them. Throws 400. */
export const createPlugin = rowWrite({
  model: 'Plugin',
  permission: 'plugins.write',
  prepare: (context, input: PluginInput) => {
    const data = parseInput(pluginInput, input);
    const { nameForHuman, nameForModel } = data;
    const given = columns(context, data);
    return insertion('Plugin', {
      ...given,
      ...(given.serviceTokenCipher && { serviceTokenOrigins: originsAt(data.api?.url || data.url) }),
      ...(given.oauthClientSecretCipher && { clientSecretOrigins: serverOrigins(data.auth) }),
      nameForHuman,
      nameForModel,
      id: newId('plugin'),
      workspaceId: context.viewer.workspaceId,
    });
  },
});

/**
 * Updates the given properties of a plugin. Secrets sent back masked are kept. A client secret is removed, unless it is
 * given again, if the authorization server changes. Throws 400, 404, and 409 if users' tokens would be sent to another
 * server, or if the secret was set before any server was known.
 */
export const updatePlugin = rowWrite({
  model: 'Plugin',
  permission: 'plugins.write',
  prepare: async (context, { id, ...input }: Partial<PluginInput> & { id: string }) => {
    const given = parseInput(pluginInput.partial(), input);
    const changes = columns(context, given);
    const secretIsGiven = 'oauthClientSecretCipher' in changes;
    const secretsKept = await secretsToKeep(context, id, { ...given.auth, secretIsGiven });
    const origins = await originsGiven(context, id, given, changes);
    return change('Plugin', rowWithId(context, id), { ...secretsKept, ...changes, ...origins });
  },
});

/** Deletes a plugin with its credentials, for all agents. Throws 404. */
export const deletePlugin = rowWrite({
  model: 'Plugin',
  permission: 'plugins.write',
  prepare: (context, { id }: { id: string }) => {
    return removal('Plugin', rowWithId(context, id));
  },
});

/** The token of the workspace, masked for callers; empty if not set. */
export function shownServiceToken({ secrets }: Context, { serviceTokenCipher }: Plugin): string {
  return serviceTokenCipher ? masked(secrets.decrypt(serviceTokenCipher)) : '';
}

/** Where users return after authorizing the plugin. */
export const shownRedirectUri = (context: Context, { id }: Plugin): string => redirectUriOf(context, id);

/** The OAuth client secret, masked for callers; empty if not set. */
export function shownClientSecret({ secrets }: Context, { oauthClientSecretCipher }: Plugin): string {
  return oauthClientSecretCipher ? masked(secrets.decrypt(oauthClientSecretCipher)) : '';
}

type Given = Partial<z.output<typeof pluginInput>>;

/** The origins that the secrets given in a change are for. */
async function originsGiven(
  context: Context,
  id: string,
  { auth }: Given,
  { serviceTokenCipher, oauthClientSecretCipher, apiUrl, url }: ReturnType<typeof columns>,
) {
  const where = rowWithId(context, id);
  const server = oauthClientSecretCipher && (await context.database.plugin.findFirst({ where }));
  return {
    ...(serviceTokenCipher && { serviceTokenOrigins: await originsOfStored(context, id, { apiUrl, url }) }),
    ...(server && { clientSecretOrigins: serverOrigins(auth, server) }),
  };
}

type ServerAddresses = { tokenUrl?: string | null | undefined; revocationUrl?: string | null | undefined };

/** The origins of an authorization server: the addresses that are given, else the stored ones. */
const serverOrigins = (given: ServerAddresses | undefined, stored?: ServerAddresses): string[] =>
  originsAt(given?.tokenUrl ?? stored?.tokenUrl, given?.revocationUrl ?? stored?.revocationUrl);

function columns({ secrets }: Context, { auth, api, oauthClientSecret, ...data }: Given) {
  const { type: authType, serviceToken, scope: oauthScope, ...settings } = auth ?? {};
  const kept = Object.entries({ ...settings, authType, oauthScope }).filter(([, value]) => value != null);
  return {
    ...data,
    ...(Object.fromEntries(kept) as Partial<Pick<Plugin, 'authType' | 'tokenName'>>),
    ...(api?.url !== undefined && { apiUrl: api.url }),
    ...(api?.hasUserAuthentication !== undefined && { hasUserAuthentication: api.hasUserAuthentication }),
    ...sealed(secrets, 'oauthClientSecretCipher', oauthClientSecret),
    ...sealed(secrets, 'serviceTokenCipher', serviceToken),
  };
}

/** The column of a secret: an empty one is removed, a masked one is the stored one sent back unchanged. */
function sealed<Column extends string>(
  secrets: Context['secrets'],
  column: Column,
  given: string | null | undefined,
): { [Name in Column]?: string | null } {
  if (given == null || given.startsWith('••••')) return {};
  return { [column]: given === '' ? null : secrets.encrypt(given) } as { [Name in Column]: string | null };
}

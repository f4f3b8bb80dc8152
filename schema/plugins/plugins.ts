import {
  createPlugin,
  deletePlugin,
  pluginList,
  shownClientSecret,
  shownRedirectUri,
  shownServiceToken,
  updatePlugin,
} from '../../src/domain/plugins/plugins.ts';
import { AgentList } from '../agents/agents.ts';
import { builder } from '../builder.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

type PluginRow = Parameters<typeof shownClientSecret>[1];

const PluginAuthType = builder.enumType('PluginAuthType', {
  description: 'The authentication type of a plugin.',
  values: {
    none: { description: 'No token is sent.' },
    service_http: { description: 'One token for the whole workspace.' },
    user_http: { description: 'A token provided by a user.' },
    oauth: { description: 'A token granted by a user through OAuth.' },
  } as const,
});

const PluginAuth = builder.objectRef<PluginRow>('PluginAuth').implement({
  description: 'Authentication settings of a plugin.',
  fields: (t) => ({
    type: t.expose('authType', { type: PluginAuthType, description: 'The authentication type.' }),
    tokenIn: t.exposeString('tokenIn', { description: 'Where the token is sent: header, query or cookie.' }),
    tokenName: t.exposeString('tokenName', { description: 'Name of the header, parameter or cookie.' }),
    tokenPrefix: t.exposeString('tokenPrefix', { description: 'Prefix of the token, such as "Bearer ".' }),
    serviceToken: t.string({
      description: 'The token for the whole workspace, masked. Empty if not set.',
      extensions: { parleyColumns: ['serviceTokenCipher'] },
      resolve: (plugin, _args, context) => shownServiceToken(context, plugin),
    }),
    authorizationUrl: t.exposeString('authorizationUrl', { description: 'URL where users grant access.' }),
    tokenUrl: t.exposeString('tokenUrl', { description: 'Token URL of the authorization server.' }),
    revocationUrl: t.exposeString('revocationUrl', {
      description: 'Revocation URL of the authorization server. May be empty.',
    }),
    scope: t.exposeString('oauthScope', {
      description: 'The scope that users are asked to grant, in the format of the authorization server.',
    }),
    redirectUri: t.string({
      description: 'The redirect URL that users return to, to register at the authorization server.',
      extensions: { parleyColumns: ['id'] },
      resolve: (plugin, _args, context) => shownRedirectUri(context, plugin),
    }),
  }),
});

type ApiColumns = { apiType: string; apiUrl: string; hasUserAuthentication: boolean };
const PluginApi = builder.objectRef<ApiColumns>('PluginApi').implement({
  description: 'The API of a plugin.',
  fields: (t) => ({
    type: t.exposeString('apiType', { description: 'Type of the API description: openapi.' }),
    url: t.exposeString('apiUrl', { description: 'URL of the OpenAPI description.' }),
    hasUserAuthentication: t.exposeBoolean('hasUserAuthentication', {
      description: 'Whether users must authenticate.',
    }),
  }),
});

export const Plugin = builder.prismaNode('Plugin', {
  description: 'An external tool that agents can call.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the plugin, the same in REST.' },
  nullable: true,
  findUnique: rowById('Plugin'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the plugin belongs to.' }),
    schemaVersion: t.exposeString('schemaVersion', { description: 'Version of the manifest.' }),
    nameForHuman: t.exposeString('nameForHuman', { description: 'Name of the plugin for people.' }),
    nameForModel: t.exposeString('nameForModel', { description: 'Name of the plugin for the model.' }),
    descriptionForHuman: t.exposeString('descriptionForHuman', {
      description: 'Description of the plugin for people.',
    }),
    descriptionForModel: t.exposeString('descriptionForModel', {
      description: 'What the plugin does and when to call it, for the model.',
    }),
    auth: t.field({
      type: PluginAuth,
      description: 'Authentication settings of the plugin.',
      extensions: { parleySameRow: true },
      resolve: (plugin) => plugin,
    }),
    api: t.field({
      type: PluginApi,
      description: 'The API of the plugin.',
      extensions: { parleySameRow: true },
      resolve: (plugin) => plugin,
    }),
    logoUrl: t.exposeString('logoUrl', { description: 'URL of the logo.' }),
    contactEmail: t.exposeString('contactEmail', { description: 'Email address of the contact. Empty if unknown.' }),
    legalInfoUrl: t.exposeString('legalInfoUrl', { description: 'URL of the legal terms.' }),
    url: t.exposeString('url', { description: 'URL of the manifest.' }),
    settingsUrl: t.exposeString('settingsUrl', { description: 'URL of a page where a person sets up the plugin.' }),
    oauthClientId: t.exposeString('oauthClientId', {
      description: 'OAuth client ID of this service at the authorization server.',
    }),
    oauthClientSecret: t.string({
      description: 'OAuth client secret of this service, masked. Empty if not set.',
      extensions: { parleyColumns: ['oauthClientSecretCipher'] },
      resolve: (plugin, _args, context) => shownClientSecret(context, plugin),
    }),
    disclaimer: t.exposeString('disclaimer', {
      description: 'A notice that users must see before they use the plugin.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the plugin was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the plugin was last updated.' }),
    workspace: t.relation('workspace', { description: 'The workspace that the plugin belongs to.' }),
    agents: relatedConnection(t, 'agentPlugins', AgentList, {
      description: 'The agents that can call the plugin.',
      through: 'agent',
    }),
  }),
});

export const PluginList: List = defineList(Plugin, 'Plugin', pluginList, {
  orders: { createdAt: 'When the plugin was created.', nameForHuman: 'Name of the plugin for people.' },
  filter: {
    agentId: { type: 'ID', description: 'Plugins that this agent can call.' },
    authType: { type: PluginAuthType, description: 'Plugins with one of these authentication types.' },
    createdAt: { description: 'Plugins created in this time range.' },
    ids: { type: 'ID', description: 'Plugins with one of these IDs.' },
    nameForHuman: { description: 'Name of the plugin for people.' },
    updatedAt: { description: 'Plugins last updated in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When the plugin was created.' },
    by: { authType: { type: PluginAuthType, description: 'The authentication type.' } },
  },
});

builder.prismaObjectField('Agent', 'plugins', (t) =>
  relatedConnection(t, 'agentPlugins', PluginList, {
    description: 'The plugins that the agent can call.',
    through: 'plugin',
  }),
);

builder.queryFields((t) => ({
  plugins: rootConnection(t, PluginList, 'The plugins of the workspace, newest first.'),
  plugin: rootRow(t, PluginList, 'Returns a plugin by ID.'),
}));

const PluginAuthInput = builder.inputType('PluginAuthInput', {
  description: 'Authentication settings of a plugin.',
  fields: (t) => ({
    type: t.field({ type: PluginAuthType, required: true, description: 'The authentication type.' }),
    tokenIn: t.string({ description: 'Where the token is sent: header, query or cookie. Defaults to header.' }),
    tokenName: t.string({ description: 'Name of the header, parameter or cookie. Defaults to Authorization.' }),
    tokenPrefix: t.string({ description: 'Prefix of the token. Defaults to "Bearer ".' }),
    serviceToken: t.string({
      description: 'The token for the whole workspace, stored encrypted and shown masked. An empty string removes it.',
    }),
    authorizationUrl: t.string({ description: 'URL where users grant access.' }),
    tokenUrl: t.string({ description: 'Token URL of the authorization server.' }),
    revocationUrl: t.string({ description: 'Revocation URL of the authorization server.' }),
    scope: t.string({
      description: 'The scope that users are asked to grant, in the format of the authorization server.',
    }),
  }),
});
const PluginApiInput = builder.inputType('PluginApiInput', {
  description: 'The API of a plugin.',
  fields: (t) => ({
    url: t.string({ description: 'URL of the OpenAPI description.' }),
    hasUserAuthentication: t.boolean({ description: 'Whether users must authenticate.' }),
  }),
});

const pluginFields = (t: InputBuilder) => ({
  schemaVersion: t.string({ description: 'Version of the manifest.' }),
  descriptionForHuman: t.string({ description: 'Description of the plugin for people.' }),
  descriptionForModel: t.string({ description: 'What the plugin does and when to call it, for the model.' }),
  auth: t.field({ type: PluginAuthInput, description: 'Authentication settings of the plugin.' }),
  api: t.field({ type: PluginApiInput, description: 'The API of the plugin.' }),
  logoUrl: t.string({ description: 'URL of the logo.' }),
  contactEmail: t.string({ description: 'Email address of the contact.' }),
  legalInfoUrl: t.string({ description: 'URL of the legal terms.' }),
  url: t.string({ description: 'URL of the manifest.' }),
  settingsUrl: t.string({ description: 'URL of a page where a person sets up the plugin.' }),
  oauthClientId: t.string({ description: 'OAuth client ID of this service at the authorization server.' }),
  oauthClientSecret: t.string({
    description: 'OAuth client secret of this service, stored encrypted and shown masked. An empty string removes it.',
  }),
  disclaimer: t.string({ description: 'A notice that users must see before they use the plugin.' }),
});
const payload = { field: 'plugin', type: Plugin, description: 'The plugin after the change.' };

rowMutation('createPlugin', {
  description: 'Creates a plugin. Agents can call it once it is attached to them.',
  payload,
  input: (t) => ({
    nameForHuman: t.string({ required: true, description: 'Name of the plugin for people.' }),
    nameForModel: t.string({
      required: true,
      description: 'Name of the plugin for the model: letters, digits, "_" and "-".',
    }),
    ...pluginFields(t),
  }),
  write: createPlugin,
});

rowMutation('updatePlugin', {
  description: 'Updates the given fields of a plugin. Omitted fields are unchanged.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the plugin.' }),
    nameForHuman: t.string({ description: 'Name of the plugin for people.' }),
    nameForModel: t.string({ description: 'Name of the plugin for the model: letters, digits, "_" and "-".' }),
    ...pluginFields(t),
  }),
  write: updatePlugin,
});

deleteMutation('deletePlugin', {
  description: 'Deletes a plugin and its credentials, and detaches it from all agents.',
  what: 'plugin',
  write: deletePlugin,
});

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

type PluginRow = Parameters<typeof shownClientSecret>[1];

const PluginAuthType = builder.enumType('PluginAuthType', {
  description: 'How a plugin is called.',
  values: {
    none: { description: 'Without a token.' },
    service_http: { description: 'With one token for the whole workspace.' },
    user_http: { description: 'With a token that a user gives.' },
    oauth: { description: 'With a token that a user grants by OAuth.' },
  } as const,
});

const PluginAuth = builder.objectRef<PluginRow>('PluginAuth').implement({
  description: 'How a plugin is called.',
  fields: (t) => ({
    type: t.expose('authType', { type: PluginAuthType, description: 'The kind of token that it takes.' }),
    tokenIn: t.exposeString('tokenIn', { description: 'Where the token stands in a call: header, query or cookie.' }),
    tokenName: t.exposeString('tokenName', { description: 'The name of that header, parameter or cookie.' }),
    tokenPrefix: t.exposeString('tokenPrefix', { description: 'What stands before the token, such as "Bearer ".' }),
    serviceToken: t.string({
      description: 'The one token of the whole workspace, masked; empty when none was set.',
      extensions: { parleyColumns: ['serviceTokenCipher'] },
      resolve: (plugin, _args, context) => shownServiceToken(context, plugin),
    }),
    authorizationUrl: t.exposeString('authorizationUrl', { description: 'Where users allow that it is called.' }),
    tokenUrl: t.exposeString('tokenUrl', { description: 'Where its authorization server gives tokens.' }),
    revocationUrl: t.exposeString('revocationUrl', { description: 'Where that server takes them back; may be empty.' }),
    scope: t.exposeString('oauthScope', { description: 'What users are asked to allow, as that server words it.' }),
    redirectUri: t.string({
      description: 'Where users come back to: the redirect address to register at that server.',
      extensions: { parleyColumns: ['id'] },
      resolve: (plugin, _args, context) => shownRedirectUri(context, plugin),
    }),
  }),
});

type ApiColumns = { apiType: string; apiUrl: string; hasUserAuthentication: boolean };
const PluginApi = builder.objectRef<ApiColumns>('PluginApi').implement({
  description: 'The interface of a plugin.',
  fields: (t) => ({
    type: t.exposeString('apiType', { description: 'The kind of description: openapi.' }),
    url: t.exposeString('apiUrl', { description: 'Where the OpenAPI description is.' }),
    hasUserAuthentication: t.exposeBoolean('hasUserAuthentication', {
      description: 'Whether it needs the user to authenticate.',
    }),
  }),
});

export const Plugin = builder.prismaNode('Plugin', {
  description: 'An external tool that agents may call.',
  id: { field: 'id', description: 'The id of the plugin, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    schemaVersion: t.exposeString('schemaVersion', { description: 'The version of its manifest.' }),
    nameForHuman: t.exposeString('nameForHuman', { description: 'What people call it.' }),
    nameForModel: t.exposeString('nameForModel', { description: 'What the model calls it.' }),
    descriptionForHuman: t.exposeString('descriptionForHuman', { description: 'What it does, for people.' }),
    descriptionForModel: t.exposeString('descriptionForModel', {
      description: 'What it does and when to call it, for the model.',
    }),
    auth: t.field({
      type: PluginAuth,
      description: 'How it is called.',
      extensions: { parleySameRow: true },
      resolve: (plugin) => plugin,
    }),
    api: t.field({
      type: PluginApi,
      description: 'Its interface.',
      extensions: { parleySameRow: true },
      resolve: (plugin) => plugin,
    }),
    logoUrl: t.exposeString('logoUrl', { description: 'The address of its picture.' }),
    contactEmail: t.exposeString('contactEmail', { description: 'Whom to write to about it; empty when not known.' }),
    legalInfoUrl: t.exposeString('legalInfoUrl', { description: 'Where its terms are.' }),
    url: t.exposeString('url', { description: 'Where its manifest is.' }),
    settingsUrl: t.exposeString('settingsUrl', { description: 'Where a person sets it up.' }),
    oauthClientId: t.exposeString('oauthClientId', { description: 'Our client id at its authorization server.' }),
    oauthClientSecret: t.string({
      description: 'Our client secret there, masked; empty when none was set.',
      extensions: { parleyColumns: ['oauthClientSecretCipher'] },
      resolve: (plugin, _args, context) => shownClientSecret(context, plugin),
    }),
    disclaimer: t.exposeString('disclaimer', { description: 'What users must be told before they use it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    workspace: t.relation('workspace', { description: 'The workspace that it belongs to.' }),
    agents: relatedConnection(t, 'agentPlugins', AgentList, {
      description: 'The agents that may call it.',
      through: 'agent',
    }),
  }),
});

export const PluginList: List = defineList(Plugin, 'Plugin', pluginList, {
  orders: { createdAt: 'When it was made.', nameForHuman: 'What people call it.' },
  filter: {
    agentId: { type: 'ID', description: 'Plugins that this agent may call.' },
    authType: { type: PluginAuthType, description: 'Plugins that are called in one of these ways.' },
    createdAt: { description: 'Plugins made in this span of time.' },
    ids: { type: 'ID', description: 'Plugins with one of these ids.' },
    nameForHuman: { description: 'What people call it.' },
    updatedAt: { description: 'Plugins changed last in this span of time.' },
  },
  groups: {
    moments: { createdAt: 'When it was made.' },
    by: { authType: { type: PluginAuthType, description: 'The kind of token that it takes.' } },
  },
});

builder.prismaObjectField('Agent', 'plugins', (t) =>
  relatedConnection(t, 'agentPlugins', PluginList, { description: 'The plugins it may call.', through: 'plugin' }),
);

builder.queryFields((t) => ({
  plugins: rootConnection(t, PluginList, 'The plugins of the workspace, newest first.'),
  plugin: rootRow(t, PluginList, 'One plugin.'),
}));

const PluginAuthInput = builder.inputType('PluginAuthInput', {
  description: 'How a plugin is called.',
  fields: (t) => ({
    type: t.field({ type: PluginAuthType, required: true, description: 'The kind of token that it takes.' }),
    tokenIn: t.string({ description: 'Where the token stands in a call: header (the default), query or cookie.' }),
    tokenName: t.string({ description: 'The name of that header, parameter or cookie; Authorization by default.' }),
    tokenPrefix: t.string({ description: 'What stands before the token; "Bearer " by default.' }),
    serviceToken: t.string({
      description: 'The one token of the whole workspace: kept encrypted, shown masked. Empty removes it.',
    }),
    authorizationUrl: t.string({ description: 'Where users allow that it is called.' }),
    tokenUrl: t.string({ description: 'Where its authorization server gives tokens.' }),
    revocationUrl: t.string({ description: 'Where that server takes them back.' }),
    scope: t.string({ description: 'What users are asked to allow, as that server words it.' }),
  }),
});
const PluginApiInput = builder.inputType('PluginApiInput', {
  description: 'The interface of a plugin.',
  fields: (t) => ({
    url: t.string({ description: 'Where the OpenAPI description is.' }),
    hasUserAuthentication: t.boolean({ description: 'Whether it needs the user to authenticate.' }),
  }),
});

const pluginFields = (t: InputBuilder) => ({
  schemaVersion: t.string({ description: 'The version of its manifest.' }),
  descriptionForHuman: t.string({ description: 'What it does, for people.' }),
  descriptionForModel: t.string({ description: 'What it does and when to call it, for the model.' }),
  auth: t.field({ type: PluginAuthInput, description: 'How it is called.' }),
  api: t.field({ type: PluginApiInput, description: 'Its interface.' }),
  logoUrl: t.string({ description: 'The address of its picture.' }),
  contactEmail: t.string({ description: 'Whom to write to about it.' }),
  legalInfoUrl: t.string({ description: 'Where its terms are.' }),
  url: t.string({ description: 'Where its manifest is.' }),
  settingsUrl: t.string({ description: 'Where a person sets it up.' }),
  oauthClientId: t.string({ description: 'Our client id at its authorization server.' }),
  oauthClientSecret: t.string({
    description: 'Our client secret there: kept encrypted, shown masked. Empty removes it.',
  }),
  disclaimer: t.string({ description: 'What users must be told before they use it.' }),
});
const answers: [string, unknown, string] = ['plugin', Plugin, 'The plugin as it is now.'];

rowMutation('createPlugin', {
  description: 'Makes a plugin, which agents may call once it is attached to them.',
  answers,
  input: (t) => ({
    nameForHuman: t.string({ required: true, description: 'What people call it.' }),
    nameForModel: t.string({ required: true, description: 'What the model calls it: letters, digits, "_" and "-".' }),
    ...pluginFields(t),
  }),
  write: createPlugin,
});

rowMutation('updatePlugin', {
  updates: { model: 'Plugin' },
  description: 'Changes what is given of a plugin; what is left out stays.',
  answers,
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the plugin.' }),
    nameForHuman: t.string({ description: 'What people call it.' }),
    nameForModel: t.string({ description: 'What the model calls it: letters, digits, "_" and "-".' }),
    ...pluginFields(t),
  }),
  write: updatePlugin,
});

deleteMutation('deletePlugin', {
  updates: { model: 'Plugin' },
  description: 'Removes a plugin with its credentials, from all agents.',
  what: 'plugin',
  write: deletePlugin,
});

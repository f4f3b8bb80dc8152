import { access } from '../../src/core/permissions.ts';
import { authorizePlugin } from '../../src/domain/plugins/authorization.ts';
import {
  credentialOf,
  deleteCredential,
  findCredential,
  readCredential,
  setCredential,
  validCredential,
} from '../../src/domain/plugins/credentials.ts';
import { builder } from '../builder.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';

/** A token, or the stored row of one that is valid. */
type Token = { accessToken: string } | { tokenCipher: string };

const Credential = builder.objectRef<Token>('Credential').implement({
  description: 'The credential that an agent calls a plugin with.',
  fields: (t) => ({
    accessToken: t.string({
      description: 'The token to call the plugin with.',
      extensions: { parleyColumns: ['tokenCipher'] },
      resolve: (token, _args, { secrets }) =>
        'accessToken' in token ? token.accessToken : secrets.decrypt(token.tokenCipher),
    }),
  }),
});

const CredentialStatus = builder.enumType('CredentialStatus', {
  description: 'The status of a token.',
  values: {
    active: { description: 'The token is valid, or is renewed when it is used.' },
    reauthorization_required: { description: 'The token is no longer valid: a user must authorize the plugin again.' },
  } as const,
});

type State = NonNullable<Awaited<ReturnType<typeof findCredential>>>;
type Shown = Pick<State, 'agentId' | 'pluginId'> & Partial<State>;

const CredentialState = builder.objectRef<Shown>('CredentialState').implement({
  description: 'The state of the token of an agent for a plugin, without the token itself.',
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'ID of the agent.' }),
    pluginId: t.exposeID('pluginId', { description: 'ID of the plugin.' }),
    status: t.field({
      type: CredentialStatus,
      description: 'Whether the token can be used.',
      extensions: { parleyColumns: ['status'] },
      resolve: ({ status }) => status ?? 'reauthorization_required',
    }),
    failure: t.string({
      nullable: true,
      description: 'Why the last renewal failed. `null` if it did not.',
      extensions: { parleyColumns: ['failure'] },
      resolve: ({ failure }) => failure ?? null,
    }),
    renewable: t.boolean({
      description: 'Whether the token is renewed automatically before it expires.',
      extensions: { parleyColumns: ['refreshTokenCipher'] },
      resolve: ({ refreshTokenCipher }) => Boolean(refreshTokenCipher),
    }),
    scope: t.string({
      description: 'The granted scope, as returned by the authorization server. May be empty.',
      extensions: { parleyColumns: ['scope'] },
      resolve: ({ scope }) => scope ?? '',
    }),
    grantedBy: t.string({
      description: 'Who granted or set the token. May be empty.',
      extensions: { parleyColumns: ['grantedBy'] },
      resolve: ({ grantedBy }) => grantedBy ?? '',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token expires. `null` if it does not.',
    }),
  }),
});

const found = { permission: 'credentials.read', model: 'Credential', checksIds: true };

builder.queryField('credentialState', (t) =>
  t.field({
    type: CredentialState,
    nullable: true,
    description:
      'Whether an agent has its own token to call a plugin with, without the token itself. `null` if it has none.',
    args: {
      agentId: t.arg.id({ required: true, description: 'ID of the agent that calls the plugin.' }),
      pluginId: t.arg.id({ required: true, description: 'ID of the plugin.' }),
    },
    extensions: { ...access('credentials.read'), parleyRow: { ...found, where: credentialOf } },
    resolve: (_root, pair, context) => findCredential(context, pair),
  }),
);

builder.queryField('credential', (t) =>
  t.field({
    type: Credential,
    nullable: true,
    description: 'A valid token for an agent to call a plugin with, renewed if it expires within a minute.',
    args: {
      agentId: t.arg.id({ required: true, description: 'ID of the agent that calls the plugin.' }),
      pluginId: t.arg.id({ required: true, description: 'ID of the plugin.' }),
    },
    extensions: { ...access('credentials.read'), parleyRow: { ...found, where: validCredential } },
    resolve: (_root, pair, context) => readCredential(context, pair),
  }),
);

const pair = (t: InputBuilder) => ({
  agentId: t.id({ required: true, description: 'ID of the agent that calls the plugin.' }),
  pluginId: t.id({ required: true, description: 'ID of the plugin.' }),
});

rowMutation('setCredential', {
  description: 'Sets the token that an agent calls a plugin with. It is stored encrypted.',
  complete: true,
  payload: { field: 'credential', type: CredentialState, description: 'The state of the token.' },
  input: (t) => ({
    ...pair(t),
    accessToken: t.string({ required: true, description: 'The token.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When the token expires. If omitted, it does not expire.' }),
  }),
  write: setCredential,
});

rowMutation('deleteCredential', {
  description: 'Deletes the token that an agent calls a plugin with, and revokes it at its authorization server.',
  complete: true,
  payload: { field: 'credential', type: CredentialState, description: 'The deleted credential.' },
  input: pair,
  permission: 'credentials.write',
  resolve: async (context, input) => {
    await deleteCredential(context, input);
    return { ...input, expiresAt: null };
  },
});

const Authorization = builder.objectRef<{ url: string; expiresAt: Date }>('PluginAuthorization').implement({
  description: 'An authorization that a user must grant.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        "A page of this service to open in the user's browser. It shows who requests access to what, continues " +
        'to the server of the plugin, and returns the user only in the same browser. It can be used once.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the request expires. The user must return before then.',
    }),
  }),
});

rowMutation('authorizePlugin', {
  description:
    'Starts an OAuth authorization (authorization code with PKCE) that lets an agent call a plugin on behalf ' +
    'of a user.',
  complete: true,
  payload: { field: 'authorization', type: Authorization, description: 'The page to send the user to.' },
  input: (t) => ({
    agentId: t.id({ required: true, description: 'ID of the agent that will call the plugin.' }),
    pluginId: t.id({ required: true, description: 'ID of the plugin to authorize.' }),
  }),
  permission: 'credentials.authorize',
  resolve: (context, input) => authorizePlugin(context, input),
});

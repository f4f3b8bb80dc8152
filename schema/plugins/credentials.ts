import { access } from '../../src/core/permissions.ts';
import {
  deleteCredential,
  findCredential,
  readCredential,
  setCredential,
} from '../../src/domain/plugins/credentials.ts';
import { builder } from '../builder.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';

const Credential = builder.objectRef<{ accessToken: string }>('Credential').implement({
  description: 'What an agent needs to call a plugin.',
  fields: (t) => ({
    accessToken: t.exposeString('accessToken', { description: 'The token to call the plugin with.' }),
  }),
});

const CredentialStatus = builder.enumType('CredentialStatus', {
  description: 'Whether a token can be used.',
  values: {
    active: { description: 'It is valid, or is renewed when it is used.' },
    reauthorization_required: { description: 'It is no longer valid: a user has to authorize the plugin again.' },
  } as const,
});

type State = NonNullable<Awaited<ReturnType<typeof findCredential>>>;
type Shown = Pick<State, 'agentId' | 'pluginId'> & Partial<State>;

const CredentialState = builder.objectRef<Shown>('CredentialState').implement({
  description: 'That an agent has a token for a plugin, without the token.',
  fields: (t) => ({
    agentId: t.exposeID('agentId', { description: 'The agent.' }),
    pluginId: t.exposeID('pluginId', { description: 'The plugin.' }),
    status: t.field({
      type: CredentialStatus,
      description: 'Whether it can be used.',
      resolve: ({ status }) => status ?? 'reauthorization_required',
    }),
    failure: t.string({
      nullable: true,
      description: 'Why it could not be renewed the last time; null when it could.',
      resolve: ({ failure }) => failure ?? null,
    }),
    renewable: t.boolean({
      description: 'Whether it is renewed by itself before it expires.',
      resolve: ({ refreshTokenCipher }) => Boolean(refreshTokenCipher),
    }),
    scope: t.string({
      description: 'What it allows, as the authorization server said; may be empty.',
      resolve: ({ scope }) => scope ?? '',
    }),
    grantedBy: t.string({
      description: 'Who granted or set it; may be empty.',
      resolve: ({ grantedBy }) => grantedBy ?? '',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the token expires; null when it does not.',
      resolve: ({ expiresAt }) => expiresAt ?? null,
    }),
  }),
});

builder.queryField('credentialState', (t) =>
  t.field({
    type: CredentialState,
    nullable: true,
    description:
      'Whether an agent can call a plugin with a token of its own, without the token; null when it has none.',
    args: {
      agentId: t.arg.id({ required: true, description: 'The agent that calls.' }),
      pluginId: t.arg.id({ required: true, description: 'The plugin that is called.' }),
    },
    extensions: access('credentials.read'),
    resolve: (_root, pair, context) => findCredential(context, pair),
  }),
);

builder.queryField('credential', (t) =>
  t.field({
    type: Credential,
    nullable: true,
    description: 'A fresh token with which an agent calls a plugin, renewed when it ends within a minute.',
    args: {
      agentId: t.arg.id({ required: true, description: 'The agent that calls.' }),
      pluginId: t.arg.id({ required: true, description: 'The plugin that is called.' }),
    },
    extensions: access('credentials.read'),
    resolve: (_root, pair, context) => readCredential(context, pair),
  }),
);

const pair = (t: InputBuilder) => ({
  agentId: t.id({ required: true, description: 'The agent that calls.' }),
  pluginId: t.id({ required: true, description: 'The plugin that is called.' }),
});

rowMutation('setCredential', {
  description: 'Sets the token with which an agent calls a plugin. It is kept encrypted.',
  complete: true,
  answers: ['credential', CredentialState, 'That the token is there.'],
  input: (t) => ({
    ...pair(t),
    accessToken: t.string({ required: true, description: 'The token.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it expires; left out: it does not.' }),
  }),
  permission: 'credentials.write',
  resolve: (context, input) => setCredential(context, input),
});

rowMutation('deleteCredential', {
  description: 'Forgets the token with which an agent calls a plugin, and takes it back at its authorization server.',
  complete: true,
  answers: ['credential', CredentialState, 'What was forgotten.'],
  input: pair,
  permission: 'credentials.write',
  resolve: async (context, input) => {
    await deleteCredential(context, input);
    return { ...input, expiresAt: null };
  },
});

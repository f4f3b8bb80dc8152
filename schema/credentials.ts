import { deleteCredential, readCredential, setCredential } from '../src/domain/credentials.ts';
import { builder } from './builder.ts';
import { rowMutation } from './mutations.ts';

const Credential = builder.objectRef<{ accessToken: string }>('Credential').implement({
  description: 'What an agent needs to call a plugin.',
  fields: (t) => ({
    accessToken: t.exposeString('accessToken', { description: 'The token to call the plugin with.' }),
  }),
});

const CredentialState = builder
  .objectRef<{ agentId: string; pluginId: string; expiresAt: Date | null }>('CredentialState')
  .implement({
    description: 'That an agent has a token for a plugin, without the token.',
    fields: (t) => ({
      agentId: t.exposeID('agentId', { description: 'The agent.' }),
      pluginId: t.exposeID('pluginId', { description: 'The plugin.' }),
      expiresAt: t.expose('expiresAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When the token expires; null when it does not.',
      }),
    }),
  });

builder.queryField('credential', (t) =>
  t.field({
    type: Credential,
    nullable: true,
    description: 'The token with which an agent calls a plugin.',
    args: {
      agentId: t.arg.id({ required: true, description: 'The agent that calls.' }),
      pluginId: t.arg.id({ required: true, description: 'The plugin that is called.' }),
    },
    resolve: (_root, pair, context) => readCredential(context, pair),
  }),
);

type Input = Parameters<Parameters<typeof rowMutation>[1]['input']>[0];
const pair = (t: Input) => ({
  agentId: t.id({ required: true, description: 'The agent that calls.' }),
  pluginId: t.id({ required: true, description: 'The plugin that is called.' }),
});

rowMutation('setCredential', {
  description: 'Sets the token with which an agent calls a plugin. It is kept encrypted.',
  answers: ['credential', CredentialState, 'That the token is there.'],
  input: (t) => ({
    ...pair(t),
    accessToken: t.string({ required: true, description: 'The token.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it expires; left out: it does not.' }),
  }),
  resolve: (context, input) => setCredential(context, input),
});

rowMutation('deleteCredential', {
  description: 'Forgets the token with which an agent calls a plugin.',
  answers: ['credential', CredentialState, 'What was forgotten.'],
  input: pair,
  resolve: async (context, input) => {
    await deleteCredential(context, input);
    return { ...input, expiresAt: null };
  },
});

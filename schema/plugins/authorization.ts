import { authorizePlugin } from '../../src/domain/plugins/authorization.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';

const Authorization = builder.objectRef<{ url: string; expiresAt: Date }>('PluginAuthorization').implement({
  description: 'An authorization that a user has to give.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'The address of a page of this service, to open in the browser of the user. It names who asks for what, goes on to the server of the plugin, and takes the user back in the same browser alone. It can be used once.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when the user has to come back.' }),
  }),
});

rowMutation('authorizePlugin', {
  description:
    'Begins an OAuth authorization (authorization code with PKCE), after which an agent calls a plugin in the name of a user.',
  complete: true,
  answers: ['authorization', Authorization, 'Where the user goes next.'],
  input: (t) => ({
    agentId: t.id({ required: true, description: 'The agent that is to call.' }),
    pluginId: t.id({ required: true, description: 'The plugin that is to be called.' }),
  }),
  permission: 'credentials.write',
  resolve: (context, input) => authorizePlugin(context, input),
});

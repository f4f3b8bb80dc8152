import { authorizePlugin } from '../../src/domain/plugins/authorization.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';

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

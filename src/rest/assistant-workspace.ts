import { z } from 'zod';
import {
  ReadCredentialDocument,
  ReadUsageDocument,
  SaveSettingsDocument,
  UpdatePluginDocument,
} from './generated/graphql.ts';
import { idOf } from './records/common.ts';
import { credential, monthlyUsage, plugin, pluginChange, settings, settingsInput } from './records/workspace.ts';
import { type Route, route } from './route.ts';

/** Plugins and their credentials, the settings and the usage of the workspace. */
export const workspaceRoutes: Route[] = [
  route({
    id: 'updatePlugin',
    method: 'put',
    path: '/rest/plugins/{id}',
    tag: 'Plugins',
    summary: 'Update a plugin',
    description: 'Updates a plugin. Omitted keys keep their values.',
    conditional: true,
    document: UpdatePluginDocument,
    params: z.object({ id: idOf('plugin', 'plg') }),
    body: pluginChange,
    response: plugin,
    errors: ['not_found'],
    variables: ({ params, body }) => ({ input: { ...body, ...params } }),
    project: { row: ['updatePlugin', 'plugin'] },
  }),
  route({
    id: 'readCredential',
    method: 'get',
    path: '/rest/credentials',
    tag: 'Plugins',
    summary: 'Get the credential of a plugin',
    description:
      'Returns a valid token for an agent to call a plugin, renewed if it expires within a minute. If it has expired and cannot be renewed, returns 409 `reauthorization_required`.',
    document: ReadCredentialDocument,
    query: z.object({
      agentId: idOf('agent that calls the plugin', 'agt'),
      pluginId: idOf('plugin', 'plg'),
    }),
    response: credential,
    errors: ['not_found', 'reauthorization_required'],
    variables: ({ query }) => query,
    project: { row: ['credential'] },
  }),
  route({
    id: 'saveSettings',
    method: 'post',
    path: '/rest/settings',
    tag: 'Workspace',
    summary: 'Save the settings of the workspace',
    description: 'Saves the settings of the workspace and returns them.',
    conditional: true,
    document: SaveSettingsDocument,
    body: settingsInput,
    response: settings,
    variables: ({ body }) => ({ input: body }),
    project: { row: ['saveSettings', 'settings'] },
  }),
  route({
    id: 'readUsage',
    method: 'get',
    path: '/rest/interactions',
    tag: 'Workspace',
    summary: 'Get the usage of the current month',
    description: 'The number of interactions the workspace has used in the current month (UTC), and the maximum.',
    document: ReadUsageDocument,
    response: monthlyUsage,
    variables: () => ({}),
    project: { row: ['usage'] },
  }),
];

import { z } from 'zod';
import {
  ReadCredentialDocument,
  ReadUsageDocument,
  SaveSettingsDocument,
  UpdatePluginDocument,
} from './generated/graphql.ts';
import { credential, plugin, pluginChange } from './records/plugins.ts';
import { monthlyUsage, settings, settingsInput } from './records/workspace.ts';
import { type Route, route } from './route.ts';

/** Plugins and their credentials, the settings and the usage of the workspace. */
export const workspaceRoutes: Route[] = [
  route({
    id: 'updatePlugin',
    method: 'put',
    path: '/rest/plugins/{id}',
    tag: 'Plugins',
    summary: 'Update a plugin',
    description: 'Changes what is given of a plugin; keys left out stay as they were.',
    conditional: true,
    document: UpdatePluginDocument,
    params: z.object({ id: z.string().meta({ description: 'The id of the plugin.' }) }),
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
      'A fresh token with which an agent calls a plugin, renewed when it ends within a minute. One that has ended and cannot be renewed is 409 `reauthorization_required`.',
    document: ReadCredentialDocument,
    query: z.object({
      agentId: z.string().meta({ description: 'The agent that calls.' }),
      pluginId: z.string().meta({ description: 'The plugin that is called.' }),
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
    description: 'Saves the settings of the workspace and answers them.',
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
    description: 'How many interactions the workspace used in the current month (UTC), and how many it may.',
    document: ReadUsageDocument,
    response: monthlyUsage,
    variables: () => ({}),
    project: { row: ['usage'] },
  }),
];

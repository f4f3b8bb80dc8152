import {
  importPlugin,
  type PluginTool,
  refreshPlugin,
  type ToolsOfPlugin,
  toolsOf,
} from '../../src/domain/plugins/import.ts';
import { complexity } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Plugin } from './plugins.ts';

const Tool = builder.objectRef<PluginTool>('PluginTool').implement({
  description: 'An operation of a plugin, as offered to the model.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'Name of the tool for the model, unless another tool has the same name.',
    }),
    description: t.exposeString('description', { description: 'Description of the tool for the model.' }),
    method: t.exposeString('method', { description: 'The HTTP method.' }),
    url: t.exposeString('url', { description: 'The URL that is called, with {names} as placeholders for parameters.' }),
    arguments: t.expose('arguments', { type: 'JSONObject', description: 'JSON Schema of the arguments.' }),
  }),
});

const Interface = builder.objectRef<ToolsOfPlugin>('PluginInterface').implement({
  description: 'The OpenAPI description of a plugin, as last read.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'Title of the API.' }),
    version: t.exposeString('version', { description: 'Version of the API.' }),
    tools: t.field({
      type: [Tool],
      description: 'Operations of the API, at most 128.',
      extensions: complexity({ multiplier: 128 }),
      resolve: ({ tools }) => tools,
    }),
    skipped: t.exposeStringList('skipped', { description: 'Operations that cannot be called, with the reason.' }),
    readAt: t.expose('readAt', { type: 'DateTime', description: 'When the description was read.' }),
  }),
});

builder.prismaObjectField('Plugin', 'interface', (t) =>
  t.field({
    type: Interface,
    nullable: true,
    description: 'The API of the plugin, from its description. `null` until importPlugin or refreshPlugin has read it.',
    // Read in the statement of its plugin, and its tools only when they are asked for.
    select: { interface: true },
    resolve: ({ interface: pluginInterface }) => pluginInterface && toolsOf(pluginInterface),
  }),
);

rowMutation('importPlugin', {
  waits: true,
  description:
    'Creates a plugin from the manifest (ai-plugin.json) or OpenAPI description (3.0, 3.1, Swagger 2.0; JSON ' +
    'or YAML) at a URL.',
  payload: { field: 'plugin', type: Plugin, description: 'The plugin, ready to be attached to agents.' },
  expensive: true,
  input: (t) => ({
    url: t.string({ required: true, description: 'URL of the manifest or the OpenAPI description.' }),
  }),
  permission: 'plugins.write',
  resolve: (context, input) => importPlugin(context, input),
});

rowMutation('refreshPlugin', {
  waits: true,
  description:
    'Reads the description of a plugin again, so that agents can call its current operations. The texts of ' +
    'the plugin are kept.',
  payload: { field: 'plugin', type: Plugin, description: 'The plugin after the change.' },
  expensive: true,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the plugin.' }) }),
  permission: 'plugins.write',
  resolve: (context, { id }) => refreshPlugin(context, id),
});

import {
  importPlugin,
  type PluginTool,
  refreshPlugin,
  type ToolsOfPlugin,
  toolsOf,
} from '../../src/domain/plugins/import.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Plugin } from './plugins.ts';

const Tool = builder.objectRef<PluginTool>('PluginTool').implement({
  description: 'An operation of a plugin, as the model is offered it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the model calls it, unless another tool has the name.' }),
    description: t.exposeString('description', { description: 'What it does, for the model.' }),
    method: t.exposeString('method', { description: 'The HTTP method.' }),
    url: t.exposeString('url', { description: 'The address that is called, with {names} of parameters in it.' }),
    arguments: t.expose('arguments', { type: 'JSONObject', description: 'The JSON schema of its arguments.' }),
  }),
});

const Interface = builder.objectRef<ToolsOfPlugin>('PluginInterface').implement({
  description: 'What the OpenAPI description of a plugin said when it was read last.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'The title of the API.' }),
    version: t.exposeString('version', { description: 'Its version.' }),
    tools: t.field({
      type: [Tool],
      description: 'Its operations, at most 128.',
      complexity: { multiplier: 128 },
      resolve: ({ tools }) => tools,
    }),
    skipped: t.exposeStringList('skipped', { description: 'The operations that cannot be called, with the reason.' }),
    readAt: t.expose('readAt', { type: 'DateTime', description: 'When it was read.' }),
  }),
});

builder.prismaObjectField('Plugin', 'interface', (t) =>
  t.field({
    type: Interface,
    nullable: true,
    description: 'What it can do, as its description said; null until that was read by importPlugin or refreshPlugin.',
    // Read in the statement of its plugin, and its tools only when they are asked for.
    select: { interface: true },
    resolve: ({ interface: told }) => told && toolsOf(told),
  }),
);

rowMutation('importPlugin', {
  waits: true,
  description:
    'Makes a plugin of the manifest (ai-plugin.json) or the OpenAPI description (3.0, 3.1, Swagger 2.0; JSON or YAML) at an address.',
  answers: ['plugin', Plugin, 'The plugin, ready to be attached to agents.'],
  expensive: true,
  input: (t) => ({
    url: t.string({ required: true, description: 'Where the manifest or the description is.' }),
  }),
  permission: 'plugins.write',
  resolve: (context, input) => importPlugin(context, input),
});

rowMutation('refreshPlugin', {
  waits: true,
  description: 'Reads the description of a plugin anew, so that agents can call what it says now. Its texts stay.',
  answers: ['plugin', Plugin, 'The plugin as it is now.'],
  expensive: true,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the plugin.' }) }),
  permission: 'plugins.write',
  resolve: (context, { id }) => refreshPlugin(context, id),
});

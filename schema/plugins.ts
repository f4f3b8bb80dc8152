import { pluginList } from '../src/domain/plugins.ts';
import { builder } from './builder.ts';
import { defineList, rootConnection } from './connections.ts';

export const Plugin = builder.prismaNode('Plugin', {
  description: 'Plugin',
  id: { field: 'id', description: 'The id.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

export const PluginList = defineList(Plugin, 'Plugin', pluginList, { orders: { createdAt: 'When it was made.' }, filter: {} });

builder.queryFields((t) => ({
  plugins: rootConnection(t, PluginList, 'All of them.'),
}));

import { baseList } from '../src/domain/knowledge-bases.ts';
import { builder } from './builder.ts';
import { defineList, rootConnection } from './connections.ts';

export const Base = builder.prismaNode('Base', {
  description: 'Base',
  id: { field: 'id', description: 'The id.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

export const BaseList = defineList(Base, 'Base', baseList, { orders: { createdAt: 'When it was made.' }, filter: {} });

builder.queryFields((t) => ({
  bases: rootConnection(t, BaseList, 'All of them.'),
}));

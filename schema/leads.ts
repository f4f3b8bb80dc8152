import { leadList } from '../src/domain/leads.ts';
import { builder } from './builder.ts';
import { defineList, rootConnection } from './connections.ts';

export const Lead = builder.prismaNode('Lead', {
  description: 'Lead',
  id: { field: 'id', description: 'The id.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

export const LeadList = defineList(Lead, 'Lead', leadList, { orders: { createdAt: 'When it was made.' }, filter: {} });

builder.queryFields((t) => ({
  leads: rootConnection(t, LeadList, 'All of them.'),
}));

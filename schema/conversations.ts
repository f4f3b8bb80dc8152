import { conversationList } from '../src/domain/conversations.ts';
import { builder } from './builder.ts';
import { defineList, rootConnection } from './connections.ts';

export const Conversation = builder.prismaNode('Conversation', {
  description: 'Conversation',
  id: { field: 'id', description: 'The id.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

export const ConversationList = defineList(Conversation, 'Conversation', conversationList, { orders: { createdAt: 'When it was made.' }, filter: {} });

builder.queryFields((t) => ({
  conversations: rootConnection(t, ConversationList, 'All of them.'),
}));

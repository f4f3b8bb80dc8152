import { listRule } from '../database/list.ts';

export const conversationList = listRule({
  model: 'Conversation',
  permission: 'conversations.read',
  orders: { createdAt: { type: 'date' } },
  filters: {},
});

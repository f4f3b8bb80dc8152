import { listRule } from '../database/list.ts';

export const channelList = listRule({
  model: 'Channel',
  permission: 'channels.read',
  rows: ({ workspaceId }) => ({ workspaceId, removedAt: null }),
  orders: { createdAt: { type: 'date' } },
  filters: {},
});

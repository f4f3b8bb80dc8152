import { channelList } from '../src/domain/channels.ts';
import { builder } from './builder.ts';
import { defineList, rootConnection } from './connections.ts';

export const Channel = builder.prismaNode('Channel', {
  description: 'Channel',
  id: { field: 'id', description: 'The id.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

export const ChannelList = defineList(Channel, 'Channel', channelList, { orders: { createdAt: 'When it was made.' }, filter: {} });

builder.queryFields((t) => ({
  channels: rootConnection(t, ChannelList, 'All of them.'),
}));

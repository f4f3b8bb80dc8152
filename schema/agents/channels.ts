import { limitOf } from '../../src/database/query/row-limits.ts';
import {
  channelList,
  createChannel,
  deleteChannel,
  rotatePublishableToken,
  shownCredentials,
  updateChannel,
} from '../../src/domain/agents/channels.ts';
import { builder } from '../builder.ts';
import { ConversationList } from '../conversations/conversations.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { Platform } from '../shared/platform.ts';
import { actorFields } from '../workspace/actors.ts';

const Channel = builder.prismaNode('Channel', {
  description: 'A place where an agent is reachable.',
  id: { field: 'id', description: 'The id of the channel, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({
    id,
    workspaceId: viewer.workspaceId,
    removedAt: null,
    AND: limitOf('Channel', viewer),
  }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    agentId: t.exposeID('agentId', { description: 'The agent that answers there.' }),
    platform: t.expose('platform', { type: Platform, description: 'Which platform it is.' }),
    credentials: t.field({
      type: 'JSONObject',
      description:
        'What it takes to speak there. Every text and number is masked, at any depth, but those that lie under harmless keys alone: domain, origin, host, port, page, pageId, phoneNumberId, businessAccountId, name, label, region, locale, language, timezone, theme, color, position.',
      extensions: { parleyColumns: ['credentialsCipher'] },
      resolve: (channel, _args, context) => shownCredentials(context, channel),
    }),
    publishableToken: t.exposeString('publishableToken', {
      nullable: true,
      description:
        'Of a widget: what a page embeds it with, `<script async src="…/widget.js?channel=pub_…"></script>`. It is no ' +
        'secret: with it one may only chat, from a page of `origins`.',
    }),
    origins: t.exposeStringList('origins', {
      description: 'Of a widget: the origins of the pages that may embed it, such as https://shop.example.',
    }),
    createdBy: t.exposeID('createdBy', { description: 'The user or app that made it.' }),
    updatedBy: t.exposeID('updatedBy', { description: 'The user or app that changed it last.' }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    agent: t.relation('agent', { description: 'The agent that answers there.' }),
    conversations: relatedConnection(t, 'conversations', ConversationList, {
      description: 'The conversations that came through it.',
    }),
  }),
});

export const ChannelList: List = defineList(Channel, 'Channel', channelList, {
  orders: { createdAt: 'When it was made.' },
  filter: {
    platform: { type: Platform, description: 'Channels of one of these platforms.' },
    agentId: { type: 'ID', description: 'Channels of this agent.' },
    createdAt: { description: 'Channels made in this span of time.' },
    ids: { type: 'ID', description: 'Channels with one of these ids.' },
    agentIds: { type: 'ID', description: 'Channels of one of these agents.' },
    updatedAt: { description: 'Channels changed last in this span of time.' },
    agent: { list: 'Agent', description: 'Channels whose agent meets this filter.' },
  },
  groups: {
    moments: { createdAt: 'When it was made.' },
    by: {
      platform: { type: Platform, description: 'Where visitors write from.' },
      agent: { description: 'The agent that is reached through it.' },
    },
    distinct: { agentId: 'The agents that are reached through them.' },
  },
});

builder.queryFields((t) => ({
  channels: rootConnection(t, ChannelList, 'The channels of the workspace, newest first.'),
  channel: rootRow(t, ChannelList, 'One channel.'),
}));

const answers: [string, unknown, string] = ['channel', Channel, 'The channel as it is now.'];
const credentials = 'What it takes to speak there: an object of at most 16 KB, kept encrypted.';

const origins =
  'Of a widget: the origins of the pages that may embed it, at most 50, such as https://shop.example; ' +
  'https://*.shop.example stands for the names below it, http://localhost:* for any port of your own machine.';

rowMutation('createChannel', {
  description: 'Makes an agent reachable in one more place.',
  answers,
  input: (t) => ({
    agentId: t.id({ required: true, description: 'The agent that shall answer there.' }),
    platform: t.field({ type: Platform, required: true, description: 'Which platform it is.' }),
    credentials: t.field({ type: 'JSONObject', description: credentials }),
    origins: t.stringList({ description: origins }),
  }),
  write: createChannel,
});

rowMutation('updateChannel', {
  updates: { model: 'Channel' },
  description:
    'Replaces the credentials of a channel, or the origins of a widget; what is left out stays. A value of the ' +
    'credentials sent back masked, as it was read, stays as it is.',
  answers,
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the channel.' }),
    credentials: t.field({ type: 'JSONObject', description: credentials }),
    origins: t.stringList({ description: origins }),
  }),
  write: updateChannel,
});

rowMutation('rotatePublishableToken', {
  updates: { model: 'Channel' },
  description: 'Gives a widget a new publishable token. Pages that embed it with the old one are shut out at once.',
  answers,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the channel.' }) }),
  write: rotatePublishableToken,
});

deleteMutation('deleteChannel', {
  updates: { model: 'Channel' },
  description: 'Takes a channel away. The conversations that came through it stay.',
  what: 'channel',
  write: deleteChannel,
});

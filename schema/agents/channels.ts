import {
  channelList,
  createChannel,
  deleteChannel,
  rotatePublishableToken,
  shownCredentials,
  updateChannel,
} from '../../src/domain/agents/channels.ts';
import { rotateIdentitySecret } from '../../src/domain/widget/identity.ts';
import { builder } from '../builder.ts';
import { ConversationList } from '../conversations/conversations.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { Platform } from '../shared/platform.ts';
import { removedSince } from '../shared/removed-nodes.ts';
import { rowById } from '../shared/row-by-id.ts';
import { actorFields } from '../workspace/actors.ts';

const Channel = builder.prismaNode('Channel', {
  description: 'A place where visitors can reach an agent.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the channel, the same in REST.' },
  nullable: true,
  findUnique: rowById('Channel'),
  extensions: removedSince('removedAt'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace the channel belongs to.' }),
    agentId: t.exposeID('agentId', { description: 'The agent that replies on the channel.' }),
    platform: t.expose('platform', { type: Platform, description: 'The platform of the channel.' }),
    credentials: t.field({
      type: 'JSONObject',
      description:
        'The credentials for the platform. All strings and numbers are masked, at any depth, except under these ' +
        'keys: domain, origin, host, port, page, pageId, phoneNumberId, businessAccountId, name, label, region, ' +
        'locale, language, timezone, theme, color, position. A key only counts if all keys above it are on the ' +
        'list too.',
      extensions: { parleyColumns: ['credentialsCipher'] },
      resolve: (channel, _args, context) => shownCredentials(context, channel),
    }),
    publishableToken: t.exposeString('publishableToken', {
      nullable: true,
      description:
        'For widgets, the token a page embeds it with: `<script async ' +
        'src="…/widget.js?channel=pub_…"></script>`. It is not secret: it only allows chatting, from pages ' +
        'on `origins`.',
    }),
    origins: t.exposeStringList('origins', {
      description: 'For widgets, the origins of the pages that may embed it, such as https://shop.example.',
    }),
    verifiesUsers: t.boolean({
      description: 'For widgets, whether it has an identity secret, with which the site signs who its users are.',
      extensions: { parleyColumns: ['identitySecretCipher'] },
      resolve: ({ identitySecretCipher }) => identitySecretCipher !== null,
    }),
    createdBy: t.exposeID('createdBy', { description: 'ID of the user, app or key that created the channel.' }),
    updatedBy: t.exposeID('updatedBy', { description: 'ID of the user, app or key that last updated the channel.' }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the channel was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the channel was last updated.' }),
    agent: t.relation('agent', { description: 'The agent that replies on the channel.' }),
    conversations: relatedConnection(t, 'conversations', ConversationList, {
      description: 'The conversations held through the channel.',
    }),
  }),
});

export const ChannelList: List = defineList(Channel, 'Channel', channelList, {
  orders: { createdAt: 'When the channel was created.' },
  filter: {
    platform: { type: Platform, description: 'Channels on one of these platforms.' },
    agentId: { type: 'ID', description: 'Channels of this agent.' },
    createdAt: { description: 'Channels created in this time range.' },
    ids: { type: 'ID', description: 'Channels with one of these IDs.' },
    agentIds: { type: 'ID', description: 'Channels of one of these agents.' },
    updatedAt: { description: 'Channels last updated in this time range.' },
    agent: { list: 'Agent', description: 'Channels whose agent matches this filter.' },
  },
  groups: {
    moments: { createdAt: 'When the channel was created.' },
    by: {
      platform: { type: Platform, description: 'The platform visitors write from.' },
      agent: { description: 'The agent that replies on the channel.' },
    },
    distinct: { agentId: 'The agents that reply on the channels.' },
  },
});

builder.queryFields((t) => ({
  channels: rootConnection(t, ChannelList, 'A list of the channels in the workspace, newest first.'),
  channel: rootRow(t, ChannelList, 'Returns a channel by ID.'),
}));

const payload = { field: 'channel', type: Channel, description: 'The created or updated channel.' };
const credentials = 'The credentials for the platform: an object of at most 16 KB, stored encrypted.';

const origins =
  'For widgets, the origins of the pages that may embed it, such as https://shop.example. At most 50. ' +
  'https://*.shop.example matches all its subdomains, http://localhost:* any port on your own machine.';

rowMutation('createChannel', {
  description: 'Creates a channel through which visitors can reach an agent.',
  payload,
  input: (t) => ({
    agentId: t.id({ required: true, description: 'The agent that replies on the channel.' }),
    platform: t.field({ type: Platform, required: true, description: 'The platform of the channel.' }),
    credentials: t.field({ type: 'JSONObject', description: credentials }),
    origins: t.stringList({ description: origins }),
  }),
  write: createChannel,
});

rowMutation('updateChannel', {
  updates: { model: 'Channel' },
  description:
    'Replaces the credentials of a channel, or the origins of a widget. Omitted fields are unchanged, as are ' +
    'credential values sent back masked, as they were returned.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the channel.' }),
    credentials: t.field({ type: 'JSONObject', description: credentials }),
    origins: t.stringList({ description: origins }),
  }),
  write: updateChannel,
});

rowMutation('rotatePublishableToken', {
  updates: { model: 'Channel' },
  description:
    'Replaces the publishable token of a widget. Pages that embed it with the old token stop working immediately.',
  payload,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the channel.' }) }),
  write: rotatePublishableToken,
});

rowMutation('rotateIdentitySecret', {
  updates: { model: 'Channel' },
  description:
    'Creates or replaces the identity secret of a widget, with which your site signs who its own users are. Tokens ' +
    'signed with the old one stop working immediately.',
  payload,
  more: {
    secret: { type: 'String', description: 'The identity secret. It is shown only once, so store it safely.' },
  },
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the channel.' }) }),
  permission: 'channels.write',
  resolve: (context, { id }) => rotateIdentitySecret(context, id),
});

deleteMutation('deleteChannel', {
  updates: { model: 'Channel' },
  description: 'Deletes a channel. Its conversations are kept.',
  what: 'channel',
  write: deleteChannel,
});

import {
  type AskedField,
  channelList,
  createChannel,
  deleteChannel,
  type Greeting,
  rotateIdentitySecret,
  rotatePublishableToken,
  shownCredentials,
  updateChannel,
} from '../../src/domain/agents/channels.ts';
import { builder } from '../builder.ts';
import { ConversationList } from '../conversations/conversations.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { Platform } from '../shared/platform.ts';
import { removedSince } from '../shared/removed-nodes.ts';
import { rowById } from '../shared/row-by-id.ts';
import { actorFields } from '../workspace/actors.ts';

const form = 'For widgets, the fields that visitors are asked for before their first message. At most 10.';
const formField = {
  field: '`name`, `email`, `phone`, `company`, `site`, or the name of an active custom field.',
  required: 'Whether the first message waits for an answer.',
};
const WidgetFormField = builder.objectRef<AskedField>('WidgetFormField').implement({
  description: 'A field that a widget asks for before the first message.',
  fields: (t) => ({
    field: t.exposeString('field', { description: formField.field }),
    required: t.exposeBoolean('required', { description: formField.required }),
  }),
});
const WidgetFormFieldInput = builder.inputType('WidgetFormFieldInput', {
  description: 'A field that a widget asks for before the first message.',
  fields: (t) => ({
    field: t.string({ required: true, description: formField.field }),
    required: t.boolean({ description: `${formField.required} Defaults to false.` }),
  }),
});

const greetings =
  'For widgets, what they say of their own accord, once to each visitor: the first whose conditions are met. At most 10.';
const greetingTexts = {
  text: 'The text, at most 500 characters. If the visitor replies, it is the first message of the conversation.',
  seconds: 'After how many seconds on such a page, at most 3600; `null` if time does not matter.',
  path: 'The path of the pages, such as `/pricing`, or `/docs/*` for all that begin so; `null` for all pages.',
  onExit: 'Whether it is said when the pointer leaves the page. Phones have no pointer.',
};
const WidgetGreeting = builder.objectRef<Greeting>('WidgetGreeting').implement({
  description: 'A message of a widget of its own accord.',
  fields: (t) => ({
    text: t.exposeString('text', { description: greetingTexts.text }),
    seconds: t.exposeInt('seconds', { nullable: true, description: greetingTexts.seconds }),
    path: t.exposeString('path', { nullable: true, description: greetingTexts.path }),
    onExit: t.exposeBoolean('onExit', { description: greetingTexts.onExit }),
  }),
});
const WidgetGreetingInput = builder.inputType('WidgetGreetingInput', {
  description: 'A message of a widget of its own accord: after `seconds`, `onExit`, or either.',
  fields: (t) => ({
    text: t.string({ required: true, description: greetingTexts.text }),
    seconds: t.int({ description: greetingTexts.seconds }),
    path: t.string({ description: greetingTexts.path }),
    onExit: t.boolean({ description: greetingTexts.onExit }),
  }),
});

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
    form: t.field({
      type: [WidgetFormField],
      description: form,
      select: { form: true },
      resolve: (channel) => channel.form as AskedField[],
    }),
    greetings: t.field({
      type: [WidgetGreeting],
      description: greetings,
      select: { greetings: true },
      resolve: (channel) => channel.greetings as Greeting[],
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

const ofWidget = (t: InputBuilder) => ({
  origins: t.stringList({ description: origins }),
  form: t.field({ type: [WidgetFormFieldInput], description: form }),
  greetings: t.field({ type: [WidgetGreetingInput], description: greetings }),
});

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
    ...ofWidget(t),
  }),
  write: createChannel,
});

rowMutation('updateChannel', {
  description:
    'Replaces the credentials of a channel, or the settings of a widget. Omitted fields are unchanged, as are ' +
    'credential values sent back masked, as they were returned.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the channel.' }),
    credentials: t.field({ type: 'JSONObject', description: credentials }),
    ...ofWidget(t),
  }),
  write: updateChannel,
});

rowMutation('rotatePublishableToken', {
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
  permission: 'channels.secret',
  resolve: (context, { id }) => rotateIdentitySecret(context, id),
});

deleteMutation('deleteChannel', {
  description: 'Deletes a channel. Its conversations are kept.',
  what: 'channel',
  write: deleteChannel,
});

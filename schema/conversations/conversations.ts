import { limitOf } from '../../src/database/query/row-limits.ts';
import {
  conversationList,
  deleteConversation,
  exportConversation,
  updateConversation,
} from '../../src/domain/conversations/conversations.ts';
import { builder } from '../builder.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { Platform } from '../shared/platform.ts';
import { MessageList } from './messages.ts';
import { SearchMatch, searchText } from './search-match.ts';

const ConversationStage = builder.enumType('ConversationStage', {
  description: 'How far a conversation has come.',
  values: {
    identify: { description: 'Finding out who the visitor is.' },
    qualify: { description: 'The visitor is known; finding out what they need.' },
    assist: { description: 'Helping with it.' },
    handoff: { description: 'A person takes over.' },
    completed: { description: 'The goal is reached.' },
  } as const,
});

const ConversationStatus = builder.enumType('ConversationStatus', {
  description: 'Whether a conversation goes on.',
  values: {
    active: { description: 'The agent answers.' },
    waiting_human: { description: 'The agent is silent: a person is to answer.' },
    resolved: { description: 'Done; a new message makes it active again.' },
    archived: { description: 'Put away; it takes no more messages.' },
  } as const,
});

const ExportFormat = builder.enumType('ExportFormat', {
  description: 'How a conversation is exported.',
  values: {
    markdown: { description: 'Markdown to read: a heading for each message, its text as a quotation.' },
    text: { description: 'Plain text to read, the messages indented.' },
    json: {
      description:
        'JSON for programs, lossless but for the bytes of attachments: {id, title, agent: {id, name}, status, stage, ' +
        'platform, leadId, preview, summary, context, createdAt, updatedAt, messages: [{id, position, role, name, ' +
        'createdBy, content, toolCallId, toolCalls, metadata, references, feedback, attachments, createdAt}]}.',
    },
  } as const,
});

type Branching = { conversationId: string; messageId: string };
const BranchPoint = builder.objectRef<Branching>('BranchPoint');

export const Conversation = builder.prismaNode('Conversation', {
  description: 'What a visitor and an agent say to each other.',
  id: { field: 'id', description: 'The id of the conversation, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Conversation', viewer) }),
  fields: (t) => ({
    title: t.exposeString('title', {
      description: 'What it is about: at first, the beginning of what the visitor said.',
    }),
    agentId: t.exposeID('agentId', { description: 'The agent that answers.' }),
    channelId: t.exposeID('channelId', { description: 'The channel that it came through.' }),
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    platform: t.expose('platform', { type: Platform, description: 'The platform that it came through.' }),
    context: t.expose('context', {
      type: 'JSONObject',
      description: 'What is known about how it began, such as its UTM data.',
    }),
    platformUserIdentifier: t.exposeString('platformUserIdentifier', {
      description: 'Who the visitor is on the platform; empty when that is not known.',
    }),
    leadId: t.exposeID('leadId', { nullable: true, description: 'The lead that the visitor is known as.' }),
    stage: t.expose('stage', { type: ConversationStage, description: 'How far it has come.' }),
    preview: t.exposeBoolean('preview', {
      description: 'Whether it only tries an agent out; previews are not counted.',
    }),
    summary: t.exposeString('summary', { nullable: true, description: 'What was said, in short.' }),
    status: t.expose('status', { type: ConversationStatus, description: 'Whether it goes on.' }),
    messageCount: t.exposeInt('messageCount', { description: 'How many messages it has.' }),
    duration: t.exposeInt('duration', {
      nullable: true,
      description: 'Seconds from its beginning to its last message; null where that is not known.',
    }),
    handedOver: t.exposeBoolean('handedOver', {
      nullable: true,
      description: 'Whether a person was ever asked to answer in it; null for one of before this was kept.',
    }),
    takenOverBy: t.exposeID('takenOverBy', {
      nullable: true,
      description: 'The user or app that answers in the agent’s place; null when nobody took it over.',
    }),
    takenOverAt: t.expose('takenOverAt', { type: 'DateTime', nullable: true, description: 'Since when.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When something in it changed last.' }),
    agent: t.relation('agent', { description: 'The agent that answers.' }),
    channel: t.relation('channel', {
      description: 'The channel that it came through, even when it was taken away since.',
    }),
    lead: t.relation('lead', { nullable: true, description: 'The lead that the visitor is known as.' }),
    branchedFrom: t.field({
      type: BranchPoint,
      nullable: true,
      description: 'Where it branched off when a message of the visitor was edited; null for all others.',
      resolve: ({ branchedFromId, branchedAtId }) =>
        branchedFromId && branchedAtId ? { conversationId: branchedFromId, messageId: branchedAtId } : null,
    }),
    export: t.string({
      nullable: true,
      description:
        'All of it as one text: times, speakers, references and feedback. What one operation exports has at most 5 MB; ' +
        'more is `payload_too_large`.',
      // Each reads a whole conversation, which costs more than a field of its row.
      complexity: { field: 100 },
      extensions: { parleyExpensive: true },
      args: builder.args((a) => ({
        format: a.field({
          type: ExportFormat,
          required: true,
          defaultValue: 'markdown',
          description: 'How it is written.',
        }),
      })),
      resolve: ({ id }, { format }, context) => exportConversation(context, id, format),
    }),
    messages: relatedConnection(t, 'messages', MessageList, { description: 'What was said, oldest first.' }),
  }),
});

BranchPoint.implement({
  description: 'The place in a conversation that another one branches off from.',
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'The conversation that it comes from.' }),
    messageId: t.exposeID('messageId', { description: 'The message that was said anew.' }),
    conversation: t.prismaField({
      type: 'Conversation',
      nullable: true,
      description: 'The conversation that it comes from; null when it is there no more.',
      resolve: (query, { conversationId: id }, _args, { database, viewer: { workspaceId } }) =>
        database.conversation.findFirst({ ...query, where: { workspaceId, id } }),
    }),
    message: t.prismaField({
      type: 'Message',
      nullable: true,
      description: 'The message that was said anew; null when it is there no more.',
      resolve: (query, { messageId: id }, _args, { database, viewer: { workspaceId } }) =>
        database.message.findFirst({ ...query, where: { workspaceId, id } }),
    }),
  }),
});

export const ConversationList: List = defineList(Conversation, 'Conversation', conversationList, {
  orders: { createdAt: 'When it began.', updatedAt: 'When something in it changed last.' },
  filter: {
    status: { type: ConversationStatus, description: 'Conversations in one of these states.' },
    stage: { type: ConversationStage, description: 'Conversations at one of these stages.' },
    platform: { type: Platform, description: 'Conversations that came through one of these platforms.' },
    agentId: { type: 'ID', description: 'Conversations with this agent.' },
    channelId: { type: 'ID', description: 'Conversations that came through this channel.' },
    leadId: { type: 'ID', description: 'Conversations with this lead.' },
    platformUserIdentifier: { type: 'String', description: 'Conversations with this visitor of a platform.' },
    preview: { type: 'Boolean', description: 'Only previews, or none of them.' },
    hasLead: { description: 'Conversations whose visitor is known as a lead, or is not.' },
    handedOver: {
      type: 'Boolean',
      description: 'Conversations in which a person was ever asked to answer, or never was.',
    },
    createdAt: { description: 'Conversations that began in this span of time.' },
    updatedAt: { description: 'Conversations in which something changed in this span of time.' },
    ids: { type: 'ID', description: 'Conversations with one of these ids.' },
    agentIds: { type: 'ID', description: 'Conversations with one of these agents.' },
    channelIds: { type: 'ID', description: 'Conversations that came through one of these channels.' },
    leadIds: { type: 'ID', description: 'Conversations with one of these leads.' },
    title: { description: 'What it is called.' },
    summary: { description: 'What was said in messages that are not sent to the model any more, in short.' },
    messageCount: { description: 'How many messages it has.' },
    takenOver: { description: 'Conversations in which a person answers in place of the agent now, or none does.' },
    duration: { description: 'Seconds from its beginning to its last message; null where that is not known.' },
    channel: { list: 'Channel', description: 'Conversations whose channel meets this filter.' },
    context: { description: 'Conversations of whose beginning all of this is known.' },
    agent: { list: 'Agent', description: 'Conversations whose agent meets this filter.' },
    lead: { list: 'Lead', description: 'Conversations whose lead meets this filter.' },
  },
  search: searchText,
  match: SearchMatch,
  groups: {
    moments: { createdAt: 'When it began.', updatedAt: 'When something in it changed last.' },
    by: {
      status: { type: ConversationStatus, description: 'Whether it is still going on.' },
      stage: { type: ConversationStage, description: 'How far it came.' },
      platform: { type: Platform, description: 'Where the visitor writes from.' },
      preview: { type: 'Boolean', description: 'Whether it only tries the agent out.' },
      hasLead: { description: 'Whether its visitor is known as a lead.' },
      takenOver: { description: 'Whether a person answers in place of the agent now.' },
      handedOver: {
        type: 'Boolean',
        description: 'Whether a person was ever asked to answer in it; null for one of before this was kept.',
      },
      agent: { description: 'The agent that answers in it.' },
      channel: { description: 'The channel that it came through.' },
      lead: { description: 'The lead that its visitor is known as; null for nobody.' },
    },
    numbers: {
      messageCount: 'How many messages it has.',
      duration: 'Seconds from its beginning to its last message.',
    },
    distinct: {
      agentId: 'The agents that answer in them.',
      channelId: 'The channels that they came through.',
      leadId: 'The leads that their visitors are known as.',
      platformUserIdentifier: 'Visitors, as their platforms name them.',
    },
  },
});

builder.queryFields((t) => ({
  conversations: rootConnection(t, ConversationList, 'The conversations of the workspace, newest first.'),
  conversation: rootRow(t, ConversationList, 'One conversation.'),
}));

rowMutation('updateConversation', {
  updates: { model: 'Conversation' },
  description: 'Changes what is given of a conversation; what is left out stays.',
  answers: ['conversation', Conversation, 'The conversation as it is now.'],
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the conversation.' }),
    title: t.string({ description: 'What it is about.' }),
    summary: t.string({ description: 'What was said, in short.' }),
    status: t.field({ type: ConversationStatus, description: 'Whether it goes on.' }),
    stage: t.field({ type: ConversationStage, description: 'How far it has come.' }),
    context: t.field({ type: 'JSONObject', description: 'What is known about how it began; replaces what was there.' }),
    leadId: t.id({ description: 'The lead that the visitor is known as; null for none.' }),
  }),
  write: updateConversation,
});

deleteMutation('deleteConversation', {
  updates: { model: 'Conversation' },
  description: 'Removes a conversation with its messages. Its lead stays.',
  what: 'conversation',
  write: deleteConversation,
});

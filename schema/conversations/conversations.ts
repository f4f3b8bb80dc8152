import { value } from '../../src/core/value-kinds.ts';
import { conversationList, exportConversation } from '../../src/domain/conversations/conversations.ts';
import { complexity } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { defineList, type List, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { Platform } from '../shared/platform.ts';
import { rowById } from '../shared/row-by-id.ts';
import { MessageList } from './messages.ts';
import { SearchMatch, searchText } from './search-match.ts';

export const ConversationStage = builder.enumType('ConversationStage', {
  description: 'The stage of a conversation.',
  values: {
    identify: { description: 'Finding out who the visitor is.' },
    qualify: { description: 'The visitor is known; finding out what they need.' },
    assist: { description: 'Helping the visitor.' },
    handoff: { description: 'A person takes over.' },
    completed: { description: 'The goal has been reached.' },
  } as const,
});

export const ConversationStatus = builder.enumType('ConversationStatus', {
  description: 'The status of a conversation.',
  values: {
    active: { description: 'The agent replies.' },
    waiting_human: { description: 'The agent does not reply: the conversation waits for a person.' },
    resolved: { description: 'Resolved; a new message makes it active again.' },
    archived: { description: 'Archived; it accepts no more messages.' },
  } as const,
});

export const ConversationOutcome = builder.enumType('ConversationOutcome', {
  description: 'How a conversation ended.',
  values: {
    resolved_by_agent: { description: 'The agent answered, and no person was needed.' },
    resolved_by_person: { description: 'A person answered, or resolved it.' },
    handed_over: { description: 'A person was asked to answer, and none has.' },
    abandoned: { description: "The agent's last message is a question that the visitor did not answer." },
  } as const,
});

const ExportFormat = builder.enumType('ExportFormat', {
  description: 'The format of an exported conversation.',
  values: {
    markdown: { description: 'Readable Markdown, with a heading for each message and its text as a block quote.' },
    text: { description: 'Readable plain text, with indented messages.' },
    json: {
      description:
        'Machine-readable JSON, lossless except for the bytes of attachments: {id, title, agent: {id, name}, ' +
        'status, stage, outcome, satisfaction, satisfactionComment, platform, leadId, preview, summary, context, ' +
        'createdAt, updatedAt, messages: [{id, ' +
        'position, role, name, createdBy, content, toolCallId, toolCalls, metadata, references, feedback, ' +
        'attachments, createdAt}]}.',
    },
  } as const,
});

type Branching = { conversationId: string; messageId: string };
const BranchPoint = builder.objectRef<Branching>('BranchPoint');

export const Conversation = builder.prismaNode('Conversation', {
  description: 'A conversation between a visitor and an agent.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the conversation, the same in REST.' },
  nullable: true,
  findUnique: rowById('Conversation'),
  fields: (t) => ({
    title: t.exposeString('title', {
      description: "The title of the conversation. Initially the beginning of the visitor's first message.",
    }),
    agentId: t.exposeID('agentId', { description: 'The agent that replies in the conversation.' }),
    channelId: t.exposeID('channelId', { description: 'The channel of the conversation.' }),
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace the conversation belongs to.' }),
    platform: t.expose('platform', { type: Platform, description: 'The platform of the conversation.' }),
    context: t.expose('context', {
      type: 'JSONObject',
      description: 'Details of how the conversation started, such as its UTM data.',
    }),
    platformUserIdentifier: t.exposeString('platformUserIdentifier', {
      description: 'The identifier of the visitor on the platform; empty if unknown.',
    }),
    leadId: t.exposeID('leadId', { nullable: true, description: 'The lead the visitor is known as; `null` if none.' }),
    stage: t.expose('stage', { type: ConversationStage, description: 'The stage of the conversation.' }),
    preview: t.exposeBoolean('preview', {
      description: 'Whether the conversation only tries out an agent; previews are not counted.',
    }),
    summary: t.exposeString('summary', { nullable: true, description: 'A short summary of the conversation.' }),
    status: t.expose('status', { type: ConversationStatus, description: 'The status of the conversation.' }),
    outcome: t.expose('outcome', {
      type: ConversationOutcome,
      nullable: true,
      description:
        'How it ended; `null` while it is open, and for conversations that were resolved before this was recorded.',
    }),
    satisfaction: t.exposeInt('satisfaction', {
      extensions: value('level'),
      nullable: true,
      description: 'How satisfied the visitor was at its end, from 1 to 5; `null` if they did not say.',
    }),
    satisfactionComment: t.exposeString('satisfactionComment', {
      nullable: true,
      description: "The reason, in the visitor's own words.",
    }),
    satisfactionAt: t.expose('satisfactionAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the visitor first said so. For a day they can change it.',
    }),
    messageCount: t.exposeInt('messageCount', { extensions: value('amount'), description: 'The number of messages.' }),
    duration: t.exposeInt('duration', {
      extensions: value('amount', 's'),
      nullable: true,
      description: 'Seconds from the start of the conversation to its last message; `null` if unknown.',
    }),
    handedOver: t.exposeBoolean('handedOver', {
      nullable: true,
      description: 'Whether a person was ever asked to answer; `null` for conversations from before this was recorded.',
    }),
    takenOverBy: t.exposeID('takenOverBy', {
      nullable: true,
      description: 'ID of the user, app or key that answers in place of the agent; `null` if nobody took over.',
    }),
    takenOverAt: t.expose('takenOverAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person took over.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the conversation was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the conversation was last updated.' }),
    agent: t.relation('agent', { description: 'The agent that replies in the conversation.' }),
    channel: t.relation('channel', {
      description: 'The channel of the conversation, even if it has since been deleted.',
    }),
    lead: t.relation('lead', { nullable: true, description: 'The lead the visitor is known as; `null` if none.' }),
    branchedFrom: t.field({
      type: BranchPoint,
      nullable: true,
      description:
        "The point it branched from when a visitor's message was edited; `null` for all other conversations.",
      resolve: ({ branchedFromId, branchedAtId }) =>
        branchedFromId && branchedAtId ? { conversationId: branchedFromId, messageId: branchedAtId } : null,
    }),
    export: t.string({
      nullable: true,
      description:
        'The whole conversation as one text: times, speakers, references and feedback. At most 5 MB of exports ' +
        'per operation; more fails with `payload_too_large`.',
      // Each reads a whole conversation, which costs more than a field of its row.
      extensions: { ...complexity({ field: 100 }), parleyExpensive: true },
      args: builder.args((a) => ({
        format: a.field({
          type: ExportFormat,
          required: true,
          defaultValue: 'markdown',
          description: 'The format of the export.',
        }),
      })),
      resolve: ({ id }, { format }, context) => exportConversation(context, id, format),
    }),
    messages: relatedConnection(t, 'messages', MessageList, {
      description: 'The messages of the conversation, oldest first.',
    }),
  }),
});

BranchPoint.implement({
  description: 'The point at which a conversation branches from another.',
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'The original conversation.' }),
    messageId: t.exposeID('messageId', { description: 'The message that was edited.' }),
    conversation: t.prismaField({
      type: 'Conversation',
      nullable: true,
      description: 'The original conversation; `null` if it no longer exists.',
      resolve: (query, { conversationId: id }, _args, { database, viewer: { workspaceId } }) =>
        database.conversation.findFirst({ ...query, where: { workspaceId, id } }),
    }),
    message: t.prismaField({
      type: 'Message',
      nullable: true,
      description: 'The message that was edited; `null` if it no longer exists.',
      resolve: (query, { messageId: id }, _args, { database, viewer: { workspaceId } }) =>
        database.message.findFirst({ ...query, where: { workspaceId, id } }),
    }),
  }),
});

export const ConversationList: List = defineList(Conversation, 'Conversation', conversationList, {
  orders: {
    createdAt: 'When the conversation was created.',
    updatedAt: 'When the conversation was last updated.',
    context: 'A key of the context.',
  },
  filter: {
    status: { type: ConversationStatus, description: 'Conversations with one of these statuses.' },
    stage: { type: ConversationStage, description: 'Conversations at one of these stages.' },
    outcome: { type: ConversationOutcome, description: 'Conversations that ended in one of these ways.' },
    platform: { type: Platform, description: 'Conversations on one of these platforms.' },
    agentId: { type: 'ID', description: 'Conversations with this agent.' },
    channelId: { type: 'ID', description: 'Conversations through this channel.' },
    leadId: { type: 'ID', description: 'Conversations with this lead.' },
    platformUserIdentifier: {
      type: 'String',
      description: 'Conversations with the visitor who has this identifier on a platform.',
    },
    preview: { type: 'Boolean', description: 'Only previews (`true`) or no previews (`false`).' },
    hasLead: { description: 'Conversations whose visitor is known as a lead (`true`) or not (`false`).' },
    handedOver: {
      type: 'Boolean',
      description: 'Conversations in which a person was ever asked to answer (`true`) or never was (`false`).',
    },
    createdAt: { description: 'Conversations created in this time range.' },
    updatedAt: { description: 'Conversations last updated in this time range.' },
    ids: { type: 'ID', description: 'Conversations with one of these IDs.' },
    agentIds: { type: 'ID', description: 'Conversations with one of these agents.' },
    channelIds: { type: 'ID', description: 'Conversations through one of these channels.' },
    leadIds: { type: 'ID', description: 'Conversations with one of these leads.' },
    title: { description: 'The title of the conversation.' },
    summary: { description: 'A short summary of messages that are no longer sent to the model.' },
    messageCount: { description: 'The number of messages.' },
    satisfaction: { description: 'How satisfied the visitor was, from 1 to 5; `null` if they did not say.' },
    takenOver: {
      description: 'Conversations in which a person currently answers in place of the agent (`true`) or not (`false`).',
    },
    duration: { description: 'Seconds from the start of the conversation to its last message; `null` if unknown.' },
    channel: { list: 'Channel', description: 'Conversations whose channel matches this filter.' },
    context: { description: 'Conversations whose context matches all of these conditions.' },
    agent: { list: 'Agent', description: 'Conversations whose agent matches this filter.' },
    lead: { list: 'Lead', description: 'Conversations whose lead matches this filter.' },
    stages: { list: 'ReachedStage', description: 'Conversations that have reached a stage that matches this filter.' },
  },
  search: searchText,
  match: SearchMatch,
  groups: {
    moments: { createdAt: 'When the conversation was created.', updatedAt: 'When the conversation was last updated.' },
    by: {
      status: { type: ConversationStatus, description: 'The status of the conversation.' },
      stage: { type: ConversationStage, description: 'The stage of the conversation.' },
      outcome: { type: ConversationOutcome, description: 'How the conversation ended; `null` while it is open.' },
      satisfaction: { type: 'Int', description: 'How satisfied the visitor was; `null` if they did not say.' },
      platform: { type: Platform, description: 'The platform the visitor writes from.' },
      platformUserIdentifier: { description: 'The visitor, by the identifier on the platform; empty if unknown.' },
      preview: { type: 'Boolean', description: 'Whether the conversation only tries out the agent.' },
      hasLead: { description: 'Whether the visitor is known as a lead.' },
      takenOver: { description: 'Whether a person currently answers in place of the agent.' },
      handedOver: {
        type: 'Boolean',
        description:
          'Whether a person was ever asked to answer; `null` for conversations from before this was recorded.',
      },
      agent: { description: 'The agent that replies in the conversation.' },
      channel: { description: 'The channel of the conversation.' },
      lead: { description: 'The lead the visitor is known as; `null` if none.' },
    },
    numbers: {
      messageCount: 'The number of messages.',
      duration: 'Seconds from the start of the conversation to its last message.',
      satisfaction: 'How satisfied the visitor was, from 1 to 5.',
    },
    distinct: {
      agentId: 'The agents that reply in the conversations.',
      channelId: 'The channels of the conversations.',
      leadId: 'The leads the visitors are known as.',
      platformUserIdentifier: 'Visitors, by their identifiers on the platforms.',
    },
  },
});

builder.queryFields((t) => ({
  conversations: rootConnection(t, ConversationList, 'A list of the conversations in the workspace, newest first.'),
  conversation: rootRow(t, ConversationList, 'Returns a conversation by ID.'),
}));

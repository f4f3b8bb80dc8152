import { needs } from '../../src/core/permissions.ts';
import { idAs } from '../../src/database/ids.ts';
import {
  type Alternative,
  allMessages,
  findAlternatives,
  messageList,
  shownAttachments,
  shownFailure,
  shownTrace,
  type Trace,
} from '../../src/domain/conversations/messages.ts';
import { builder } from '../builder.ts';
import { defineList, type List, reorder, rootConnection, rootRow } from '../shared/connections.ts';
import { rowById } from '../shared/row-by-id.ts';
import { actorField } from '../workspace/actors.ts';
import { messageFilter, messageGroups } from './message-list.ts';
import { MessageRating, TokenUsage } from './message-numbers.ts';
import { SearchMatch, searchText } from './search-match.ts';

const MessageRole = builder.enumType('MessageRole', {
  description: 'The role of the sender of a message.',
  values: {
    system: { description: 'The service itself.' },
    user: { description: 'The visitor.' },
    assistant: { description: 'The agent, or a person in its place.' },
    tool: { description: 'The result of a tool that the agent called.' },
  } as const,
});

export const TracedPassage = builder.objectRef<Trace['passages'][number]>('TracedPassage').implement({
  description: 'A passage that was sent to the model.',
  fields: (t) => ({
    passageId: t.exposeID('passageId', {
      description: 'Unique ID of the passage, which no longer exists once its source has been read again.',
    }),
    sourceId: t.exposeID('sourceId', { description: 'The source of the passage.' }),
    baseId: t.exposeID('baseId', { description: 'The knowledge base of the passage.' }),
    score: t.exposeFloat('score', {
      nullable: true,
      description: 'The relevance score, comparable only within one reply.',
    }),
  }),
});

const TracedPrompt = builder.objectRef<NonNullable<Trace['prompt']>>('TracedPrompt').implement({
  description: 'The size of the last prompt of a reply. Token counts are estimates.',
  fields: (t) => ({
    tokens: t.exposeInt('tokens', { description: 'Total tokens: instructions, passages, messages and tools.' }),
    passages: t.exposeInt('passages', { description: 'Tokens in passages.' }),
    history: t.exposeInt('history', { description: 'Tokens in earlier messages and the message being answered.' }),
    messages: t.exposeInt('messages', { description: 'The number of messages sent.' }),
    omitted: t.exposeInt('omitted', {
      description: 'The number of older messages sent in shortened form, as no summary covers them yet.',
    }),
    summary: t.exposeBoolean('summary', { description: 'Whether the summary of the conversation was sent.' }),
  }),
});

const ProviderFailure = builder.objectRef<NonNullable<ReturnType<typeof shownFailure>>>('ProviderFailure').implement({
  description: 'The error a provider returned when its model failed, without keys and conversation content.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'openai (any compatible endpoint), anthropic or google.' }),
    status: t.exposeInt('status', { nullable: true, description: 'The HTTP status; `null` if there was no response.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The error code and message of the provider, shortened.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: "The provider's ID for the request, if it returned one.",
    }),
  }),
});

const ModelAttempt = builder.objectRef<Trace['attempts'][number]>('ModelAttempt').implement({
  description: 'An attempt to get a response from a model.',
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The name of the model.' }),
    outcome: t.exposeString('outcome', {
      description: 'answered, failed, stopped by a person, or resting: not called after several failures in a row.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why the attempt failed.' }),
    ms: t.exposeInt('ms', { description: 'The duration of the attempt, in milliseconds.' }),
    failure: t.field({
      type: ProviderFailure,
      nullable: true,
      description: 'The error the provider returned, if the attempt failed. For owners; `null` for others.',
      resolve: (attempt, _args, context) => shownFailure(context, attempt),
    }),
  }),
});

const TracedCapture = builder.objectRef<NonNullable<Trace['capture']>>('TracedCapture').implement({
  description: "How a model extracted, alongside the reply, the visitor's details from the conversation.",
  fields: (t) => ({
    model: t.exposeString('model', {
      nullable: true,
      description: 'The name of the model that responded; `null` if it failed.',
    }),
    attempts: t.expose('attempts', { type: [ModelAttempt], description: 'The attempts made, in order.' }),
    fields: t.exposeStringList('fields', { description: 'The fields for which values were found.' }),
    usage: t.field({
      type: TokenUsage,
      description: 'The tokens used, which are not included in those of the message.',
      resolve: (capture) => capture,
    }),
    ms: t.exposeInt('ms', { description: 'The duration of the extraction.' }),
    cost: t.exposeFloat('cost', {
      nullable: true,
      description: 'The cost of the tokens; `null` if no prices are configured.',
    }),
  }),
});

export const MessageTrace = builder.objectRef<Trace>('MessageTrace').implement({
  description: 'How a reply was generated, or why it was not. Times are in milliseconds.',
  fields: (t) => ({
    model: t.exposeString('model', {
      nullable: true,
      description: 'The name of the model that replied; `null` if all attempts failed.',
    }),
    attempts: t.expose('attempts', { type: [ModelAttempt], description: 'The attempts made, in order.' }),
    passages: t.expose('passages', {
      type: [TracedPassage],
      description: 'The passages provided for the reply, best first.',
    }),
    prompt: t.expose('prompt', {
      type: TracedPrompt,
      nullable: true,
      description: 'The size of the prompt; `null` if all attempts failed.',
    }),
    steps: t.exposeInt('steps', {
      description: 'The number of times the model called tools of the service before it replied.',
    }),
    withheld: t.int({
      description:
        'The number of sentences withheld by a restricted agent, because nothing in its knowledge bases ' +
        'supports them.',
      resolve: ({ withheld }) => withheld ?? 0,
    }),
    retrievalMs: t.exposeInt('retrievalMs', { description: 'The time taken to find the passages and messages.' }),
    firstTokenMs: t.exposeInt('firstTokenMs', {
      nullable: true,
      description: 'The time from the request to the first word or tool call.',
    }),
    totalMs: t.exposeInt('totalMs', { description: 'The total time, including tools.' }),
    cost: t.exposeFloat('cost', {
      nullable: true,
      description: 'The cost of the tokens, based on the prices configured by the operator; `null` without them.',
    }),
    capture: t.field({
      type: TracedCapture,
      nullable: true,
      description: 'How lead details were extracted, which is in addition to the reply; `null` if no model was used.',
      resolve: ({ capture }) => capture ?? null,
    }),
  }),
});

const MessageAlternative = builder.objectRef<Alternative>('MessageAlternative').implement({
  description: 'A reply that was regenerated. It is in no list, and is not sent to the model.',
  fields: (t) => ({
    id: t.id({ description: 'Unique ID of the earlier reply.', resolve: ({ id }) => idAs('alternative', id) }),
    messageId: t.exposeID('id', { description: 'The ID that the reply had as a message.' }),
    content: t.exposeString('content', {
      nullable: true,
      description: 'The text of the reply; `null` if it called tools.',
    }),
    toolCalls: t.expose('toolCalls', {
      type: 'JSON',
      nullable: true,
      description: 'The tools the reply called: a list of {id, name, arguments}.',
    }),
    steps: t.expose('steps', {
      type: 'JSON',
      description: 'The earlier messages that belong to the reply, such as plugin calls and their results.',
    }),
    feedback: t.expose('feedback', {
      type: 'JSON',
      nullable: true,
      description: 'Feedback from a person: {rating: like or dislike, comment}.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: 'Metadata, as in a message.' }),
    usage: t.field({
      type: TokenUsage,
      description: 'The tokens used for the reply.',
      resolve: (alternative) => alternative,
    }),
    trace: t.field({
      type: MessageTrace,
      nullable: true,
      description: 'How the reply was generated. For owners, admins and editors; `null` for others.',
      resolve: ({ trace }, _args, context) => shownTrace(context, trace === null ? null : { data: trace }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the reply was sent.' }),
    replacedAt: t.expose('replacedAt', { type: 'DateTime', description: 'When the reply was regenerated.' }),
  }),
});

export const Message = builder.prismaNode('Message', {
  description: 'A message in a conversation.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the message, the same in REST.' },
  nullable: true,
  findUnique: rowById('Message'),
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'The conversation the message belongs to.' }),
    position: t.exposeInt('position', {
      description: 'The position of the message in the conversation, starting at 0 without gaps.',
    }),
    role: t.expose('role', { type: MessageRole, description: 'The role of the sender.' }),
    usage: t.field({
      type: TokenUsage,
      description: 'The tokens used for the message.',
      extensions: { parleySameRow: true },
      resolve: (message) => message,
    }),
    name: t.exposeString('name', { nullable: true, description: 'The name of the sender, if given.' }),
    content: t.exposeString('content', {
      nullable: true,
      description: 'The text of the message; `null` when the agent calls tools.',
    }),
    toolCallId: t.exposeID('toolCallId', { nullable: true, description: 'The tool call that a tool message answers.' }),
    toolCalls: t.expose('toolCalls', {
      type: 'JSON',
      nullable: true,
      description: 'The tools the agent calls: a list of {id, name, arguments}.',
    }),
    feedback: t.expose('feedback', {
      type: 'JSON',
      nullable: true,
      description: 'Feedback from a person: {rating: like or dislike, comment}.',
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      description: 'Metadata given by the caller; for replies, also the model and `references` to passages.',
    }),
    attachments: t.field({
      type: 'JSON',
      description:
        'Images, audio and files attached to the message: a list of {type, url, mimeType, name, size}. For an ' +
        'attachment sent as data, `url` is a link that is valid for a day and requires no bearer token.',
      extensions: { parleyColumns: ['workspaceId', 'id', 'attachments'], parleyEmptyAs: 'attachments' },
      resolve: (message, _args, context) => shownAttachments(context, message),
    }),
    trace: t.field({
      type: MessageTrace,
      nullable: true,
      description:
        'How a reply was generated: what was sent to the model, and the outcome. For a message of the caller, ' +
        'the errors of the models that last failed to answer it. For owners, admins and editors; `null` for ' +
        'others, and for messages without a trace.',
      select: { trace: true },
      resolve: ({ trace }, _args, context) => shownTrace(context, trace),
    }),
    alternatives: t.field({
      type: [MessageAlternative],
      extensions: needs('conversations.read'),
      description: 'The regenerated replies that this one replaced, newest first. At most 20 are kept.',
      resolve: ({ id }, _args, context) => findAlternatives(context, id),
    }),
    createdBy: t.exposeID('createdBy', {
      nullable: true,
      description:
        'ID of the user, app or key that wrote the message in place of the agent; `null` for all other messages.',
    }),
    creator: actorField(t, 'createdBy', 'Who wrote the message in place of the agent'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the message was sent.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the message was last updated.' }),
    conversation: t.relation('conversation', { description: 'The conversation the message belongs to.' }),
  }),
});

export const MessageList: List = defineList(Message, 'Message', messageList, {
  orders: {
    position: 'The position of the message in the conversation.',
    createdAt: 'When the message was sent.',
    metadata: 'A key of the metadata.',
  },
  filter: messageFilter(MessageRole, MessageRating),
  search: searchText,
  match: SearchMatch,
  groups: messageGroups(MessageRole, MessageRating),
});

const AllMessages = reorder(MessageList, 'AllMessages', allMessages, {
  createdAt: 'When the message was sent.',
  metadata: 'A key of the metadata.',
});

builder.queryFields((t) => ({
  messages: rootConnection(
    t,
    AllMessages,
    'A list of the messages in all conversations of the workspace, oldest first.',
  ),
  message: rootRow(t, MessageList, 'Returns a message by ID.'),
}));

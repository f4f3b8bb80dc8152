import { limitOf } from '../../src/database/query/row-limits.ts';
import {
  type Alternative,
  allMessages,
  findAlternatives,
  messageList,
  setFeedback,
  shownAttachments,
  shownFailure,
  shownTrace,
  type Trace,
} from '../../src/domain/conversations/messages.ts';
import { builder } from '../builder.ts';
import { defineList, type List, reorder, rootConnection, rootRow } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';
import { actorField } from '../workspace/actors.ts';
import { messageFilter } from './message-filter.ts';
import { messageGroups } from './message-groups.ts';
import { MessageRating, TokenUsage } from './message-numbers.ts';
import { SearchMatch, searchText } from './search-match.ts';

const MessageRole = builder.enumType('MessageRole', {
  description: 'Who speaks in a message.',
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
    passageId: t.exposeID('passageId', { description: 'The passage; it is gone when its source was read anew.' }),
    sourceId: t.exposeID('sourceId', { description: 'The source that it is of.' }),
    baseId: t.exposeID('baseId', { description: 'The base that it is of.' }),
    score: t.exposeFloat('score', {
      nullable: true,
      description: 'How well it matched; compares within one reply only.',
    }),
  }),
});

const TracedPrompt = builder.objectRef<NonNullable<Trace['prompt']>>('TracedPrompt').implement({
  description: 'How large the last prompt of a reply was. Tokens are an estimate.',
  fields: (t) => ({
    tokens: t.exposeInt('tokens', { description: 'All of it: instructions, passages, messages and tools.' }),
    passages: t.exposeInt('passages', { description: 'Tokens of passages.' }),
    history: t.exposeInt('history', { description: 'Tokens of earlier messages and of the one that is answered.' }),
    messages: t.exposeInt('messages', { description: 'How many messages were sent.' }),
    omitted: t.exposeInt('omitted', {
      description: 'How many older messages were told in short instead, being in no summary yet.',
    }),
    summary: t.exposeBoolean('summary', { description: 'Whether the summary of the conversation was sent.' }),
  }),
});

const ProviderFailure = builder.objectRef<NonNullable<ReturnType<typeof shownFailure>>>('ProviderFailure').implement({
  description:
    'What a provider said when its model failed, without keys and without what was said in the conversation.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'openai (any compatible endpoint), anthropic or google.' }),
    status: t.exposeInt('status', { nullable: true, description: 'The HTTP status; null when no answer came.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Its code and words for it, in short.' }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The id by which the provider finds the request, when it told one.',
    }),
  }),
});

const ModelAttempt = builder.objectRef<Trace['attempts'][number]>('ModelAttempt').implement({
  description: 'One try to get an answer of a model.',
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The name of the model.' }),
    outcome: t.exposeString('outcome', {
      description: 'answered, failed, stopped by a person, or resting: not asked after several failures in a row.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed.' }),
    ms: t.exposeInt('ms', { description: 'How long it took, in milliseconds.' }),
    failure: t.field({
      type: ProviderFailure,
      nullable: true,
      description: 'What the provider said when it failed. For owners; null for others.',
      resolve: (attempt, _args, context) => shownFailure(context, attempt),
    }),
  }),
});

const TracedCapture = builder.objectRef<NonNullable<Trace['capture']>>('TracedCapture').implement({
  description: 'How a model read, beside the reply, what the visitor said of themself.',
  fields: (t) => ({
    model: t.exposeString('model', { nullable: true, description: 'The model that answered; null when it failed.' }),
    attempts: t.expose('attempts', { type: [ModelAttempt], description: 'What was tried, in order.' }),
    fields: t.exposeStringList('fields', { description: 'The fields that it found values of.' }),
    usage: t.field({
      type: TokenUsage,
      description: 'Its tokens, which are not among those of the message.',
      resolve: (capture) => capture,
    }),
    ms: t.exposeInt('ms', { description: 'How long it took.' }),
    cost: t.exposeFloat('cost', { nullable: true, description: 'What its tokens cost; null without prices.' }),
  }),
});

export const MessageTrace = builder.objectRef<Trace>('MessageTrace').implement({
  description: 'How a reply came about, or why none did. Times are in milliseconds.',
  fields: (t) => ({
    model: t.exposeString('model', {
      nullable: true,
      description: 'The name of the model that answered; null when all tries failed.',
    }),
    attempts: t.expose('attempts', { type: [ModelAttempt], description: 'What was tried, in order.' }),
    passages: t.expose('passages', { type: [TracedPassage], description: 'What it was to answer from, best first.' }),
    prompt: t.expose('prompt', {
      type: TracedPrompt,
      nullable: true,
      description: 'What was sent; null when all tries failed.',
    }),
    steps: t.exposeInt('steps', { description: 'How often it called tools of the service before it answered.' }),
    withheld: t.int({
      description: 'How many sentences of a restricted agent were not told, as they rest on nothing that it knows.',
      resolve: ({ withheld }) => withheld ?? 0,
    }),
    retrievalMs: t.exposeInt('retrievalMs', { description: 'How long the passages and messages took to be found.' }),
    firstTokenMs: t.exposeInt('firstTokenMs', {
      nullable: true,
      description: 'When its first word or call came, since it was asked.',
    }),
    totalMs: t.exposeInt('totalMs', { description: 'How long all of it took, tools included.' }),
    cost: t.exposeFloat('cost', {
      nullable: true,
      description: 'What its tokens cost, by the prices that the operator configured; null without them.',
    }),
    capture: t.field({
      type: TracedCapture,
      nullable: true,
      description: 'How the visitor was read for the lead, which comes on top; null when no model did.',
      resolve: ({ capture }) => capture ?? null,
    }),
  }),
});

const MessageAlternative = builder.objectRef<Alternative>('MessageAlternative').implement({
  description: 'A reply that was made anew. It is in no list, and is not sent to the model.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id that it had as a message.' }),
    content: t.exposeString('content', { nullable: true, description: 'The text; null when it called tools.' }),
    toolCalls: t.expose('toolCalls', {
      type: 'JSON',
      nullable: true,
      description: 'The tools that it called: a list of {id, name, arguments}.',
    }),
    steps: t.expose('steps', {
      type: 'JSON',
      description: 'The messages before it that belonged to it, such as calls of plugins and what they answered.',
    }),
    feedback: t.expose('feedback', {
      type: 'JSON',
      nullable: true,
      description: 'What a person thought of it: {rating: like or dislike, comment}.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: 'What else is known of it, as of a message.' }),
    usage: t.field({
      type: TokenUsage,
      description: 'The tokens that it cost.',
      resolve: (alternative) => alternative,
    }),
    trace: t.field({
      type: MessageTrace,
      nullable: true,
      description: 'How it came about. For owners, admins and editors; null for others.',
      resolve: ({ trace }, _args, context) => shownTrace(context, trace === null ? null : ({ data: trace } as never)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was said.' }),
    replacedAt: t.expose('replacedAt', { type: 'DateTime', description: 'When it was made anew.' }),
  }),
});

export const Message = builder.prismaNode('Message', {
  description: 'One thing said in a conversation.',
  id: { field: 'id', description: 'The id of the message, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Message', viewer) }),
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'The conversation that it was said in.' }),
    position: t.exposeInt('position', { description: 'Its place in the conversation, counted from 0 without a gap.' }),
    role: t.expose('role', { type: MessageRole, description: 'Who speaks.' }),
    usage: t.field({
      type: TokenUsage,
      description: 'The tokens that it cost.',
      extensions: { parleySameRow: true },
      resolve: (message) => message,
    }),
    name: t.exposeString('name', { nullable: true, description: 'The name of who speaks, when it was given.' }),
    content: t.exposeString('content', { nullable: true, description: 'The text; null when the agent calls tools.' }),
    toolCallId: t.exposeID('toolCallId', { nullable: true, description: 'The call that a tool message answers.' }),
    toolCalls: t.expose('toolCalls', {
      type: 'JSON',
      nullable: true,
      description: 'The tools that the agent calls: a list of {id, name, arguments}.',
    }),
    feedback: t.expose('feedback', {
      type: 'JSON',
      nullable: true,
      description: 'What a person thought of it: {rating: like or dislike, comment}.',
    }),
    metadata: t.expose('metadata', {
      type: 'JSONObject',
      description: 'What else is known: what the caller gave; of a reply, its model and `references` to passages.',
    }),
    attachments: t.field({
      type: 'JSON',
      description:
        'Images, audio and files that came with it: a list of {type, url, mimeType, name, size}. The `url` of one that ' +
        'was sent as data is a link to it, good for a day, that needs no bearer.',
      extensions: { parleyColumns: ['id', 'attachments'], parleyEmptyAs: 'attachments' },
      resolve: (message, _args, context) => shownAttachments(context, message) as never,
    }),
    trace: t.field({
      type: MessageTrace,
      nullable: true,
      description:
        'How a reply came about: what was sent to the model, and how that went; with a message of the caller, what the ' +
        'models failed with that were to answer it last. For owners, admins and editors; null for others, and for ' +
        'messages that have none.',
      select: { trace: true },
      resolve: ({ trace }, _args, context) => shownTrace(context, trace),
    }),
    alternatives: t.field({
      type: [MessageAlternative],
      description: 'The replies that were made anew in its place, newest first: at most 20 are kept.',
      resolve: ({ id }, _args, context) => findAlternatives(context, id),
    }),
    createdBy: t.exposeID('createdBy', {
      nullable: true,
      description: 'The user or app that wrote it in the agent’s place; null for all other messages.',
    }),
    creator: actorField(t, 'createdBy', 'Who wrote it in the agent’s place'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was said.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    conversation: t.relation('conversation', { description: 'The conversation that it was said in.' }),
  }),
});

export const MessageList: List = defineList(Message, 'Message', messageList, {
  orders: { position: 'Its place in the conversation.', createdAt: 'When it was said.' },
  filter: messageFilter(MessageRole, MessageRating),
  search: searchText,
  match: SearchMatch,
  groups: messageGroups(MessageRole, MessageRating),
});

const AllMessages = reorder(MessageList, 'AllMessages', allMessages, { createdAt: 'When it was said.' });

builder.queryFields((t) => ({
  messages: rootConnection(t, AllMessages, 'The messages of all conversations of the workspace, oldest first.'),
  message: rootRow(t, MessageList, 'One message.'),
}));

const FeedbackRating = builder.enumType('FeedbackRating', {
  description: 'What a person thinks of a message.',
  values: { like: { description: 'It helped.' }, dislike: { description: 'It did not help.' } } as const,
});

const FeedbackInput = builder.inputType('FeedbackInput', {
  description: 'What a person thinks of a message, and why.',
  fields: (t) => ({
    rating: t.field({ type: FeedbackRating, required: true, description: 'Whether it helped.' }),
    comment: t.string({ description: 'Why, in the person’s own words.' }),
  }),
});

rowMutation('setFeedback', {
  updates: { model: 'Message' },
  description: 'Records what a person thinks of a message; without feedback, takes it back.',
  answers: ['message', Message, 'The message as it is now.'],
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the message.' }),
    feedback: t.field({ type: FeedbackInput, description: 'The opinion; null or left out to take it back.' }),
  }),
  write: setFeedback,
});

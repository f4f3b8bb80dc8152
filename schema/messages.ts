import { allMessages, messageList, setFeedback } from '../src/domain/messages.ts';
import { builder } from './builder.ts';
import { defineList, type List, reorder, rootConnection, rootRow } from './connections.ts';
import { rowMutation } from './mutations.ts';

const MessageRole = builder.enumType('MessageRole', {
  description: 'Who speaks in a message.',
  values: {
    system: { description: 'The service itself.' },
    user: { description: 'The visitor.' },
    assistant: { description: 'The agent, or a person in its place.' },
    tool: { description: 'The result of a tool that the agent called.' },
  } as const,
});

type TokenCounts = { promptTokens: number; completionTokens: number; cachedTokens: number };
const TokenUsage = builder.objectRef<TokenCounts>('TokenUsage').implement({
  description: 'The tokens that the model counted for a message; all 0 for those that it did not write.',
  fields: (t) => ({
    promptTokens: t.exposeInt('promptTokens', { description: 'Tokens that the model read.' }),
    completionTokens: t.exposeInt('completionTokens', { description: 'Tokens that the model wrote.' }),
    cachedTokens: t.exposeInt('cachedTokens', { description: 'Tokens read that the model had cached.' }),
  }),
});

export const Message = builder.prismaNode('Message', {
  description: 'One thing said in a conversation.',
  id: { field: 'id', description: 'The id of the message, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
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
    attachments: t.expose('attachments', { type: 'JSON', description: 'Images, audio and files that came with it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was said.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    conversation: t.relation('conversation', { description: 'The conversation that it was said in.' }),
  }),
});

export const MessageList: List = defineList(Message, 'Message', messageList, {
  orders: { position: 'Its place in the conversation.', createdAt: 'When it was said.' },
  filter: {
    role: { type: MessageRole, description: 'Messages of one of these speakers.' },
    conversationId: { type: 'ID', description: 'Messages of this conversation.' },
    createdAt: { description: 'Messages said in this span of time.' },
  },
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
  description: 'Records what a person thinks of a message; without feedback, takes it back.',
  answers: ['message', Message, 'The message as it is now.'],
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the message.' }),
    feedback: t.field({ type: FeedbackInput, description: 'The opinion; null or left out to take it back.' }),
  }),
  resolve: (context, { id, feedback }) => setFeedback(context, id, feedback ?? null),
});

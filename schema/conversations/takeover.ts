import { handBackConversation, sendAsPerson, takeOverConversation } from '../../src/domain/conversations/takeover.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Conversation } from './conversations.ts';
import { Message } from './messages.ts';

rowMutation('takeOverConversation', {
  description:
    'Has a person answer in a conversation in the agent’s place: its status is waiting_human, and the agent is silent ' +
    'until `handBackConversation`. A reply under way stops; what was said of it is kept. Who took it over last has it.',
  answers: ['conversation', Conversation, 'The conversation as it is now.'],
  input: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation to answer in.' }) }),
  permission: 'conversations.write',
  resolve: (context, { conversationId }) => takeOverConversation(context, conversationId),
});

rowMutation('handBackConversation', {
  description: 'Has the agent answer again in a conversation that a person took over.',
  answers: ['conversation', Conversation, 'The conversation as it is now.'],
  input: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation to leave to the agent.' }) }),
  permission: 'conversations.write',
  resolve: (context, { conversationId }) => handBackConversation(context, conversationId),
});

rowMutation('sendAsPerson', {
  waits: true,
  description:
    'Writes into a conversation as a person in the agent’s place: a message of the role assistant with `createdBy`, and ' +
    '`person` in its metadata. Nothing answers it and nothing is counted. It takes no `takeOverConversation`, without ' +
    'which the agent answers what the visitor says next.',
  answers: ['message', Message, 'The message.'],
  input: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation to write into.' }),
    content: t.string({ description: 'The text, at most 32,000 characters. Required without attachments.' }),
    attachments: t.field({
      type: ['JSONObject'],
      description: 'At most 10 of {type: image, audio or file; url or data (base64, 10 MB); mimeType, name, size}.',
    }),
    metadata: t.field({ type: 'JSONObject', description: 'Whatever the caller wants to keep with it.' }),
    idempotencyKey: t.string({
      description: 'A repetition with the same key and input gets the same message, for 24 hours.',
    }),
  }),
  permission: 'conversations.write',
  resolve: (context, input) => sendAsPerson(context, input as never),
});

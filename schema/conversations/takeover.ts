import { handBackConversation, takeOverConversation } from '../../src/domain/conversations/takeover.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Conversation } from './conversations.ts';

rowMutation('takeOverConversation', {
  description:
    'Has a person answer in a conversation in place of the agent. Its status becomes `waiting_human`, and ' +
    'the agent does not reply until `handBackConversation`. A reply in progress is stopped, and its text so ' +
    'far is kept. The last person to take over has the conversation.',
  payload: { field: 'conversation', type: Conversation, description: 'The updated conversation.' },
  input: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation to take over.' }) }),
  write: takeOverConversation,
});

rowMutation('handBackConversation', {
  description: 'Has the agent reply again in a conversation that a person took over.',
  payload: { field: 'conversation', type: Conversation, description: 'The updated conversation.' },
  input: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation to hand back to the agent.' }),
  }),
  write: handBackConversation,
});

import { stopTurn } from '../../src/domain/turns/stop.ts';
import { Conversation } from '../conversations/conversations.ts';
import { rowMutation } from '../shared/mutations.ts';

rowMutation('stopTurn', {
  description:
    'Stops the reply that is being generated in a conversation. What was said of it so far is stored, with `stopped` ' +
    'in its metadata, and answered to its caller. Without one, nothing happens.',
  answers: ['conversation', Conversation, 'The conversation.'],
  input: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation to fall silent in.' }) }),
  permission: 'messages.send',
  resolve: (context, { conversationId }) => stopTurn(context, conversationId),
});

import { stopTurn } from '../../src/domain/turns/stop.ts';
import { Conversation } from '../conversations/conversations.ts';
import { rowMutation } from '../shared/mutations.ts';

rowMutation('stopTurn', {
  description:
    'Stops the reply being generated in a conversation. The text so far is saved, with `stopped` in its ' +
    'metadata, and returned to its caller. If no reply is being generated, nothing happens.',
  payload: { field: 'conversation', type: Conversation, description: 'The conversation.' },
  input: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation whose reply to stop.' }) }),
  permission: 'messages.send',
  resolve: (context, { conversationId }) => stopTurn(context, conversationId),
});

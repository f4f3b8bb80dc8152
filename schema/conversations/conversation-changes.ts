import { deleteConversation, updateConversation } from '../../src/domain/conversations/conversations.ts';
import { setSatisfaction } from '../../src/domain/conversations/satisfaction.ts';
import { handBackConversation, takeOverConversation } from '../../src/domain/conversations/takeover.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { Conversation, ConversationOutcome, ConversationStage, ConversationStatus } from './conversations.ts';

rowMutation('updateConversation', {
  description: 'Updates a conversation. Omitted fields are unchanged.',
  payload: { field: 'conversation', type: Conversation, description: 'The updated conversation.' },
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the conversation.' }),
    title: t.string({ description: 'The title of the conversation.' }),
    summary: t.string({ description: 'A short summary of the conversation.' }),
    status: t.field({ type: ConversationStatus, description: 'The status of the conversation.' }),
    outcome: t.field({
      type: ConversationOutcome,
      description:
        'How it ended; only with the status `resolved`. Defaults to `resolved_by_person` for a person, and to ' +
        '`resolved_by_agent` for an app or a key. A conversation that was resolved in either way has the stage `completed`.',
    }),
    stage: t.field({ type: ConversationStage, description: 'The stage of the conversation.' }),
    context: t.field({
      type: 'JSONObject',
      description: 'Details of how the conversation started. Replaces the existing value.',
    }),
    leadId: t.id({ description: 'The lead the visitor is known as; `null` for none.' }),
  }),
  write: updateConversation,
});

rowMutation('setSatisfaction', {
  description:
    'Stores how satisfied the visitor was with a conversation, as it is asked at its end. For a day it can be changed; then it is 409 `conflict`.',
  payload: { field: 'conversation', type: Conversation, description: 'The updated conversation.' },
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the conversation.' }),
    satisfaction: t.int({ required: true, description: 'From 1, not at all, to 5, very.' }),
    comment: t.string({
      description: "The reason, in the visitor's own words, up to 2,000 characters. Omitted, it is unchanged.",
    }),
  }),
  write: setSatisfaction,
});

deleteMutation('deleteConversation', {
  description: 'Deletes a conversation with its messages. Its lead is kept.',
  what: 'conversation',
  write: deleteConversation,
});

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

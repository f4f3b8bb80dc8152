import { sendAsPerson } from '../../src/domain/turns/turn.ts';
import { Message } from '../conversations/messages.ts';
import { rowMutation } from '../shared/mutations.ts';

rowMutation('sendAsPerson', {
  waits: true,
  description:
    'Sends a message in a conversation as a person, in place of the agent, with the role `assistant`, ' +
    '`createdBy`, and `person` in its metadata. No reply is generated and no usage is counted. ' +
    "`takeOverConversation` is not required, but without it the agent replies to the visitor's next message.",
  payload: { field: 'message', type: Message, description: 'The message that was sent.' },
  input: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation to send the message in.' }),
    content: t.string({
      description: 'The text of the message. At most 32,000 characters. Required without attachments.',
    }),
    attachments: t.field({
      type: ['JSONObject'],
      description: 'At most 10 of {type: image, audio or file; url or data (base64, 10 MB); mimeType, name, size}.',
    }),
    metadata: t.field({ type: 'JSONObject', description: 'Custom data to store with the message.' }),
    idempotencyKey: t.string({
      description: 'A repeated request with the same key and input returns the same message, for 24 hours.',
    }),
  }),
  permission: 'conversations.answer',
  resolve: (context, input) => sendAsPerson(context, input as never),
});

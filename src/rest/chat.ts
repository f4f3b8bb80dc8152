import { z } from 'zod';
import { limits } from '../auth/limits.ts';
import { SendMessageDocument } from './generated/graphql.ts';
import { turn, turnInput } from './records/messages.ts';
import { type Route, route } from './route.ts';

/** The operation of the chat host. */
export const chatRoutes: Route[] = [
  route({
    id: 'sendMessage',
    method: 'post',
    path: '/api/{agentId}',
    tag: 'Conversation',
    summary: 'Send messages to an agent',
    description:
      'Sends one or more messages to a conversation, or starts one, and answers the messages that the agent generates ' +
      'from the context. `message` or a non-empty `messages` is required; text, images and sounds are accepted. What was ' +
      'sent is stored before the model is asked, so a failure of the model loses nothing and the request may be repeated. ' +
      'When the model calls one of `tools`, the last message has `toolCalls`: answer each with a message whose role is ' +
      '`tool` and whose `toolCallId` names the call.',
    document: SendMessageDocument,
    params: z.object({ agentId: z.string().meta({ description: 'The agent to ask.' }) }),
    headers: z.object({
      'Idempotency-Key': z
        .string()
        .optional()
        .meta({
          description: 'For 24 hours, a repetition with the same key and body gets the same answer.',
          examples: ['2f1c9d1e-7f0e-4c58-9a53-6f3a1f0f5b1d'],
        }),
    }),
    body: turnInput,
    bodyLimit: limits.contentBody,
    response: turn,
    errors: [
      'unknown_tool_call',
      'subscription_inactive',
      'not_found',
      'conflict',
      'conversation_busy',
      'request_in_progress',
      'idempotency_key_reused',
      'usage_limit_exceeded',
      'model_error',
      'model_timeout',
    ],
    variables: ({ params, body: { id, ...body }, headers }) => ({
      input: { ...params, ...body, conversationId: id, idempotencyKey: headers.get('idempotency-key') },
    }),
    rephrase: { idempotencyKey: 'Idempotency-Key: must have 1 to 255 characters' },
    project: ({ sendMessage: { conversation, messages } }) => ({
      id: conversation.id,
      messages,
      status: conversation.status,
      lead: conversation.lead,
    }),
  }),
];

import { z } from 'zod';
import { limits } from '../core/limits.ts';
import {
  type RestTurnFragment,
  SendMessageDocument,
  StreamMessageDocument,
  type StreamMessageSubscription,
} from './generated/graphql.ts';
import type { Whole } from './projection.ts';
import { idempotencyHeaders, idOf } from './records/common.ts';
import { turn, turnInput } from './records/messages.ts';
import { type Input, type Route, route } from './route.ts';
import type { StreamedEvent } from './stream.ts';
import { streamExample, streamProse } from './stream-description.ts';
import { isUiChat, readUiChat, uiChatInput } from './ui-chat.ts';

const rephrase = {
  idempotencyKey: 'Idempotency-Key: must have 1 to 255 characters',
  after: 'Last-Event-ID: must be the id of an event of a stream of this same request',
};

const params = z.object({ agentId: idOf('agent', 'agt') });

const stream = {
  document: StreamMessageDocument,
  event: ({ streamMessage }: StreamMessageSubscription) => eventOf(streamMessage),
  description: streamProse,
  example: streamExample,
};

/** Like `sendMessage`, for the body that the AI SDK's `DefaultChatTransport` sends; the response is always a stream. */
const uiChat = route({
  id: 'sendChatMessage',
  method: 'post',
  path: '/api/{agentId}',
  tag: 'Conversation',
  summary: 'Send a message from an AI SDK chat',
  description: "Only the last message is used. `id` is the caller's own ID for the conversation.",
  document: SendMessageDocument,
  params,
  body: uiChatInput,
  bodyLimit: limits.contentBody,
  response: turn,
  variables: uiInputOf,
  project: ({ sendMessage }) => bodyOf(sendMessage),
  rephrase,
  passesKey: true,
  alwaysStreams: true,
  stream: {
    ...stream,
    variables: (request) => ({ ...uiInputOf(request), after: request.headers.get('last-event-id') || null }),
  },
});

/** The operation of the chat host. */
export const chatRoutes: Route[] = [
  route({
    id: 'sendMessage',
    method: 'post',
    path: '/api/{agentId}',
    tag: 'Conversation',
    summary: 'Send messages to an agent',
    description:
      'Sends one or more messages to a conversation, or starts a new one, and returns the messages that the agent ' +
      'generates. `message` is required, unless `messages` has at least one. Text, images and audio are accepted. ' +
      'Messages are stored before the model is called, so nothing is lost if the model fails and the request can be ' +
      'retried. When the model calls one of `tools`, the last message has `toolCalls`: answer each with a message ' +
      'whose `role` is `tool` and whose `toolCallId` names the call.\n\n' +
      'Also accepts the body sent by the `DefaultChatTransport` of the AI SDK (`SendChatMessageRequest`) and responds ' +
      'with a stream. Such a body is recognized by its `trigger` and the `parts` of every message. `resumeChat` resumes ' +
      'its reply.',
    document: SendMessageDocument,
    params,
    headers: idempotencyHeaders.extend({
      'Last-Event-ID': z
        .string()
        .optional()
        .meta({
          description:
            'With `Accept: text/event-stream`: ID of the last event received from a stream of this same request. Nothing is sent again; the stream resumes after that event. Available until an hour after the turn ends.',
          examples: ['msg_01m7yqq0b5yxgpe6b6f7rqyh39.12'],
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
      'content_filtered',
      'model_refused',
      'context_overflow',
      'model_error',
      'model_timeout',
    ],
    variables: inputOf,
    rephrase,
    passesKey: true,
    project: ({ sendMessage }) => bodyOf(sendMessage),
    stream: {
      ...stream,
      variables: (request) => ({ ...inputOf(request), after: request.headers.get('last-event-id') || null }),
    },
    alternative: { takes: isUiChat, route: uiChat },
  }),
];

type Event = StreamMessageSubscription['streamMessage'];

/** Returns an event of a turn in REST's format. */
export function eventOf({ id, part, turn }: Event): StreamedEvent {
  return { id, data: turn ? { type: 'data-turn', data: bodyOf(turn) } : part };
}

type UiRequest = Pick<Input<typeof params, undefined, typeof uiChatInput>, 'params' | 'body' | 'headers'>;

function uiInputOf({ params, body, headers }: UiRequest) {
  return { input: { ...params, ...readUiChat(body), idempotencyKey: headers.get('idempotency-key') } };
}

type Request = Pick<Input<typeof params, undefined, typeof turnInput>, 'params' | 'body' | 'headers'>;

function inputOf({ params, body: { id, ...body }, headers }: Request) {
  return { input: { ...params, ...body, conversationId: id, idempotencyKey: headers.get('idempotency-key') } };
}

type Turn = Whole<RestTurnFragment>;

function bodyOf(turn: RestTurnFragment) {
  const { conversation, messages } = turn as Turn;
  const withUsage = messages.map((message) => ({ ...message, usage: numbersOf(message.usage) }));
  return { id: conversation.id, messages: withUsage, status: conversation.status, lead: conversation.lead };
}

/** REST's usage has only numbers: 0 where no model wrote the message, or it did not report one. */
const numbersOf = ({ promptTokens, completionTokens, cachedTokens }: Turn['messages'][number]['usage']) => ({
  promptTokens: promptTokens ?? 0,
  completionTokens: completionTokens ?? 0,
  cachedTokens: cachedTokens ?? 0,
});

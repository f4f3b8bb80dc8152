import { access } from '../../src/core/permissions.ts';
import { resumeChat, streamMessage, type TurnEvent } from '../../src/domain/turns/stream.ts';
import { builder } from '../builder.ts';
import { SendMessageInput, SendMessagePayload, turnOf } from './turn.ts';

const TurnEventType = builder.objectRef<TurnEvent>('TurnEvent').implement({
  description: 'An event of a turn.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Unique ID of the event. Pass it as `after` to resume the stream after this event.',
    }),
    part: t.expose('part', {
      type: 'JSON',
      description: 'The event, as a chunk of a UI message stream of the AI SDK: {type: "text-delta", id, delta}, ….',
    }),
    turn: t.expose('result', {
      type: SendMessagePayload,
      nullable: true,
      description: 'The result of the turn, on the last event of an answered turn; `null` on others.',
    }),
  }),
});

builder.subscriptionField('resumeChat', (t) =>
  t.field({
    type: TurnEventType,
    description:
      "Streams the current reply in one of the caller's chats, from its beginning. Ends immediately if no " +
      'reply is being generated.',
    args: {
      agentId: t.arg.id({ required: true, description: 'The agent of the chat.' }),
      chat: t.arg.string({ required: true, description: "The caller's name for the conversation." }),
    },
    extensions: { ...access('messages.send'), parleyEvents: true },
    subscribe: (_root, args, context) => resumeChat(context, args),
    resolve: (event) => event,
  }),
);

builder.subscriptionField('streamMessage', (t) =>
  t.field({
    type: TurnEventType,
    description:
      'Sends a message to an agent and streams the reply as it is generated. The turn continues when the ' +
      'client disconnects; `stopTurn` ends it.',
    extensions: { ...access('messages.send'), parleyExpensive: true, parleyWrites: true, parleyEvents: true },
    args: {
      input: t.arg({ type: SendMessageInput, required: true, description: 'The message and the agent to send it to.' }),
      after: t.arg.id({
        description: 'The last event received from a stream of the same input. The stream resumes after it.',
      }),
    },
    subscribe: (_root, { input, after }, context) => streamMessage(context, turnOf(input), after),
    resolve: (event) => event,
  }),
);

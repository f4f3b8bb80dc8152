import { access } from '../../src/core/permissions.ts';
import { resumeChat, streamMessage, type TurnEvent } from '../../src/domain/turns/stream.ts';
import { builder } from '../builder.ts';
import { SendMessageInput, SendMessagePayload, turnOf } from './turn.ts';

const TurnEventType = builder.objectRef<TurnEvent>('TurnEvent').implement({
  description: 'Something that happened in a turn.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Give it as `after` to take the stream up behind this event.' }),
    part: t.expose('part', {
      type: 'JSON',
      description:
        'What happened, as a chunk of a UI message stream of the AI SDK: {type: "text-delta", id, delta}, ….',
    }),
    turn: t.field({
      type: SendMessagePayload,
      nullable: true,
      description: 'What the turn made, on the last event of one that was answered.',
      resolve: ({ result }) => result,
    }),
  }),
});

builder.subscriptionField('resumeChat', (t) =>
  t.field({
    type: TurnEventType,
    description:
      'What the agent says in a chat of the caller at the moment, from the beginning of the reply; ends at once when it ' +
      'says nothing.',
    args: {
      agentId: t.arg.id({ required: true, description: 'The agent that was asked.' }),
      chat: t.arg.string({ required: true, description: 'What the caller calls the conversation.' }),
    },
    extensions: access('messages.send'),
    subscribe: (_root, args, context) => resumeChat(context, args),
    resolve: (event) => event,
  }),
);

builder.subscriptionField('streamMessage', (t) =>
  t.field({
    type: TurnEventType,
    description:
      'Says something to an agent and tells what the agent says to it while it is said. The turn goes on when nobody ' +
      'listens any more; `stopTurn` ends it.',
    extensions: { ...access('messages.send'), parleyExpensive: true },
    args: {
      input: t.arg({ type: SendMessageInput, required: true, description: 'What is said, to which agent.' }),
      after: t.arg.id({
        description: 'The last event that was received of a stream of the same input: what follows it comes.',
      }),
    },
    subscribe: (_root, { input, after }, context) => streamMessage(context, turnOf(input), after),
    resolve: (event) => event,
  }),
);

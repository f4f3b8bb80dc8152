import { access } from '../../src/core/permissions.ts';
import { rememberedRows } from '../../src/domain/turns/answer-statement.ts';
import { stopTurn } from '../../src/domain/turns/stop.ts';
import { resumeChat, streamMessage, type TurnEvent } from '../../src/domain/turns/stream.ts';
import { sendAsPerson, sendMessage, type TurnInput } from '../../src/domain/turns/turn.ts';
import type { TurnResult } from '../../src/domain/turns/types.ts';
import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Message } from '../conversations/messages.ts';
import { type InputBuilder, rowMutation } from '../shared/mutations.ts';

const MessageInput = builder.inputType('MessageInput', {
  description: 'A message to send.',
  fields: (t) => ({
    role: t.string({ description: 'The role of the sender: `user`, `assistant` or `tool`. Defaults to `user`.' }),
    content: t.string({ description: 'The text of the message. At most 32,000 characters.' }),
    name: t.string({ description: 'The name of the sender.' }),
    toolCallId: t.id({ description: 'The tool call that a tool message answers.' }),
    toolCalls: t.field({
      type: ['JSONObject'],
      description:
        'For the role `assistant`: the calls of a reply from elsewhere, each as {id, name, arguments}. Messages with ' +
        'the role `tool` follow, one for each.',
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When the message was sent. Defaults to the current time.' }),
    metadata: t.field({ type: 'JSONObject', description: 'Custom data to store with the message.' }),
    attachments: t.field({
      type: ['JSONObject'],
      description: 'At most 10 of {type: image, audio or file; url or data (base64, 10 MB); mimeType, name, size}.',
    }),
  }),
});

const UtmInput = builder.inputType('UtmInput', {
  description: 'The UTM parameters of the visitor.',
  fields: (t) => ({
    source: t.string({ description: 'The site or list that sent the visitor.' }),
    medium: t.string({ description: 'The type of link, such as email or cpc.' }),
    campaign: t.string({ description: 'The campaign.' }),
    content: t.string({ description: 'Which of several links was clicked.' }),
    term: t.string({ description: 'The search term.' }),
  }),
});

const MessageFormat = builder.enumType('MessageFormat', {
  description: 'The format of a reply.',
  values: {
    markdown: { description: 'Markdown.' },
    text: { description: 'Plain text.' },
    html: { description: 'HTML that is safe to display in a page: without scripts, styles and images.' },
    json: { description: 'A JSON document.' },
  } as const,
});

export const { inputType: SendMessageInput, payloadType: SendMessagePayload } = builder.relayMutationField(
  'sendMessage',
  {
    description: 'Input of sendMessage.',
    inputFields: (t: InputBuilder) => ({
      agentId: t.id({ required: true, description: 'The agent to send the message to.' }),
      conversationId: t.id({ description: 'The conversation to continue. If omitted, a new one is created.' }),
      chat: t.string({
        description:
          "The caller's name for the conversation, instead of `conversationId`. If no conversation has that name, " +
          'it is created. Names are separate for each caller and agent.',
      }),
      message: t.field({ type: MessageInput, description: 'The message. Required unless `messages` is given.' }),
      messages: t.field({ type: [MessageInput], description: 'Several messages, sent before `message`.' }),
      tools: t.field({
        type: ['JSONObject'],
        description: "Tools of the caller: {name, description, parameters}, or OpenAI's function format.",
      }),
      preview: t.boolean({
        description: 'Whether to only try out the agent: usage is not counted and no lead is saved.',
      }),
      utm: t.field({ type: UtmInput, description: 'The UTM parameters of the visitor.' }),
      format: t.field({ type: MessageFormat, description: 'The format of the reply. Defaults to `markdown`.' }),
      jsonSchema: t.field({
        type: 'JSONObject',
        description:
          'The JSON schema of the reply, which is then JSON. If the reply does not match, the model is asked once ' +
          'more; if it fails again, the turn fails with `model_error` and the problems in `issues`.',
      }),
      leadId: t.id({ description: 'The lead the visitor is known as.' }),
      sourceTags: t.field({
        type: 'JSONObject',
        description:
          'Tags a source must have to be used in the reply, in addition to those of the agent, which ' +
          'take precedence.',
      }),
      platformUserIdentifier: t.string({ description: "The caller's identifier for the visitor." }),
      regenerate: t.id({
        description:
          'The ID of a reply to regenerate, or of the message it answers, or `last` for the last reply. It must be ' +
          'the last reply of the conversation, which is required too; replaces messages. The existing reply ' +
          'becomes one of the `alternatives` of the new one; if regeneration fails, it is kept. Writes that ' +
          'plugins made for it are not repeated. Counts as an interaction.',
      }),
      edit: t.id({
        description:
          "The ID of a visitor's message that `message` replaces, in a new conversation with `branchedFrom` set to " +
          'this message. It starts with copies of the messages before it, at most 1,000. The existing conversation ' +
          'is unchanged.',
      }),
      idempotencyKey: t.string({
        description: 'A repeated request with the same key and input returns the same response, for 24 hours.',
      }),
    }),
  },
  {
    nullable: true,
    description: 'Sends a message to an agent and returns its reply.',
    extensions: { ...access('messages.send'), parleyWaits: true, parleyExpensive: true },
    resolve: (_root, { input }, context) => sendMessage(context, turnOf(input)),
  },
  {
    description: 'Payload of sendMessage.',
    outputFields,
  },
);

type SentInput = Omit<TurnInput, 'id'> & { conversationId?: string; clientMutationId?: string };

/** The input of a message as the domain takes it. */
function turnOf(input: object): TurnInput {
  const { conversationId, clientMutationId, ...turn } = input as SentInput;
  return { ...turn, id: conversationId };
}

type Builder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, TurnResult>;

function outputFields(t: Builder) {
  return {
    conversation: t.prismaField({
      type: 'Conversation',
      nullable: true,
      description: 'The conversation after the turn.',
      resolve: (query, turn, _args, { database, viewer: { workspaceId } }) => {
        const { conversationId: id } = turn;
        const known = rememberedRows(turn)?.conversation;
        if (known && !known.leadId && wantsAtMost(query, ['lead'])) return { ...known, lead: null };
        return database.conversation.findUniqueOrThrow({ ...query, where: { workspaceId_id: { workspaceId, id } } });
      },
    }),
    messages: t.prismaField({
      type: ['Message'],
      nullable: true,
      description: 'The messages of the agent, oldest first; empty if there is nothing to answer.',
      // Whoever may send a message may read the reply to it.
      extensions: { parleyReply: true },
      resolve: (query, turn, _args, { database, viewer }) => {
        const known = rememberedRows(turn)?.messages;
        if (known && wantsAtMost(query, [])) return known;
        return database.message.findMany({
          ...query,
          where: { workspaceId: viewer.workspaceId, id: { in: turn.messageIds } },
          orderBy: { position: 'asc' },
        });
      },
    }),
  };
}

/** Whether a query reads whole rows, with none but these relations. */
const wantsAtMost = ({ select, include }: { select?: unknown; include?: unknown }, relations: string[]): boolean =>
  select === undefined && Object.keys(include ?? {}).every((name) => relations.includes(name));

rowMutation('stopTurn', {
  description:
    'Stops the reply being generated in a conversation. The text so far is saved, with `stopped` in its ' +
    'metadata, and returned to its caller. If no reply is being generated, nothing happens.',
  payload: { field: 'conversation', type: Conversation, description: 'The conversation.' },
  input: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation whose reply to stop.' }) }),
  permission: 'messages.send',
  resolve: (context, { conversationId }) => stopTurn(context, conversationId),
});

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
  resolve: (context, input) => sendAsPerson(context, input),
});

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

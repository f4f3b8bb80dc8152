import { access } from '../../src/core/permissions.ts';
import { sendMessage, type TurnInput } from '../../src/domain/turns/turn.ts';
import type { TurnResult } from '../../src/domain/turns/types.ts';
import { builder } from '../builder.ts';
import type { InputBuilder } from '../shared/mutations.ts';

const MessageInput = builder.inputType('MessageInput', {
  description: 'One message to send.',
  fields: (t) => ({
    role: t.string({ description: 'Who speaks: user when left out; assistant or tool.' }),
    content: t.string({ description: 'The text, at most 32,000 characters.' }),
    name: t.string({ description: 'The name of who speaks.' }),
    toolCallId: t.id({ description: 'The call that a tool message answers.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was said; now when left out.' }),
    metadata: t.field({ type: 'JSONObject', description: 'Whatever the caller wants to keep with it.' }),
    attachments: t.field({
      type: ['JSONObject'],
      description: 'At most 10 of {type: image, audio or file; url or data (base64, 10 MB); mimeType, name, size}.',
    }),
  }),
});

const UtmInput = builder.inputType('UtmInput', {
  description: 'Where the visitor came from, as campaigns tag it.',
  fields: (t) => ({
    source: t.string({ description: 'The site or list that sent the visitor.' }),
    medium: t.string({ description: 'The kind of link, such as email or cpc.' }),
    campaign: t.string({ description: 'The campaign.' }),
    content: t.string({ description: 'Which link of several.' }),
    term: t.string({ description: 'The search term.' }),
  }),
});

const MessageFormat = builder.enumType('MessageFormat', {
  description: 'How a reply is written.',
  values: {
    markdown: { description: 'Markdown.' },
    text: { description: 'Plain text.' },
    html: { description: 'HTML that a page may show as it is: without scripts, styles and pictures.' },
    json: { description: 'A JSON document.' },
  } as const,
});

export const { inputType: SendMessageInput, payloadType: SendMessagePayload } = builder.relayMutationField(
  'sendMessage',
  {
    description: 'Input of sendMessage.',
    argOptions: { description: 'What is said, to which agent.' },
    clientMutationIdInputOptions: { description: 'Any text; it comes back in the payload.' },
    inputFields: (t: InputBuilder) => ({
      agentId: t.id({ required: true, description: 'The agent to ask.' }),
      conversationId: t.id({ description: 'The conversation to go on with; left out: a new one.' }),
      chat: t.string({
        description:
          'Instead of `conversationId`, what the caller calls the conversation, which is made when there is none of that ' +
          'name. Each caller has names of their own for each agent.',
      }),
      message: t.field({ type: MessageInput, description: 'What is said. Required unless messages is given.' }),
      messages: t.field({ type: [MessageInput], description: 'Several messages, said before `message`.' }),
      tools: t.field({
        type: ['JSONObject'],
        description: 'Tools of the caller: {name, description, parameters}, or the function shape of OpenAI.',
      }),
      preview: t.boolean({ description: 'Only try the agent out: nothing is counted and no lead is kept.' }),
      utm: t.field({ type: UtmInput, description: 'Where the visitor came from.' }),
      format: t.field({ type: MessageFormat, description: 'How the reply is written; markdown when left out.' }),
      jsonSchema: t.field({
        type: 'JSONObject',
        description:
          'The JSON schema that the reply obeys, which is then JSON. A model that misses it is asked once more, and the ' +
          'turn fails with `model_error` and what is wrong in `issues` when it misses it again.',
      }),
      leadId: t.id({ description: 'The lead that the visitor is known as.' }),
      sourceTags: t.field({
        type: 'JSONObject',
        description: 'The tags that a source must have to be answered from, beside those of the agent, which prevail.',
      }),
      platformUserIdentifier: t.string({ description: 'Who the visitor is for the caller.' }),
      regenerate: t.id({
        description:
          'A reply to make anew, or the message that it answers: the last of the conversation, which is named too, ' +
          'instead of messages; `last` is that reply, whatever its id. The reply that there is becomes one of the `alternatives` of the new one; when that ' +
          'fails, it stays. What plugins have written for it is not written again. It counts as an interaction.',
      }),
      edit: t.id({
        description:
          'A message of the visitor that `message` says anew: in a new conversation, `branchedFrom` this message, ' +
          'which begins with copies of those before it, at most 1,000. The one that there is stays as it is.',
      }),
      idempotencyKey: t.string({
        description: 'A repetition with the same key and input gets the same answer, for 24 hours.',
      }),
    }),
  } as never,
  {
    nullable: true,
    description: 'Says something to an agent and answers what the agent says to it.',
    extensions: { ...access('messages.send'), parleyWaits: true, parleyExpensive: true },
    resolve: (_root, { input }, context) => sendMessage(context, turnOf(input)),
  },
  {
    description: 'Payload of sendMessage.',
    clientMutationIdFieldOptions: { description: 'The text given in the input.' },
    outputFields: (t: never) => outputFields(t),
  } as never,
);

/** The input of a message as the domain takes it. */
export function turnOf(input: object): TurnInput {
  const { conversationId, clientMutationId, ...turn } = input as { conversationId?: string; clientMutationId?: string };
  return { ...turn, id: conversationId } as never;
}

type Builder = Parameters<Parameters<typeof builder.queryFields>[0]>[0];

function outputFields(t: Builder) {
  return {
    conversation: t.prismaField({
      type: 'Conversation',
      nullable: true,
      description: 'The conversation as it is now.',
      resolve: (query, turn, _args, { database }) =>
        database.conversation.findUniqueOrThrow({ ...query, where: { id: (turn as TurnResult).conversationId } }),
    }),
    messages: t.prismaField({
      type: ['Message'],
      nullable: true,
      description: 'What the agent said, oldest first; empty when there is nothing to answer.',
      resolve: (query, turn, _args, { database }) =>
        database.message.findMany({
          ...query,
          where: { id: { in: (turn as TurnResult).messageIds } },
          orderBy: { position: 'asc' },
        }),
    }),
  };
}

import { z } from 'zod';
import { givenObject, nullableText, openObject, text, times, utmKeys } from './common.ts';
import { conversationStatus } from './conversations.ts';
import { lead } from './leads.ts';

const count = (description: string) => z.number().meta({ description });
const objects = z.array(z.record(z.string(), z.unknown()));

/** A JSON scalar of the graph, which TypeScript knows as `unknown`, with its actual shape. */
const json = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  z.unknown().pipe(schema).meta({ description });

const message = z
  .strictObject({
    id: text('Unique ID of the message, the same in GraphQL.'),
    conversationId: text('ID of the conversation.'),
    role: z.enum(['system', 'user', 'assistant', 'tool']).meta({ description: 'The role of the author.' }),
    usage: z
      .strictObject({
        promptTokens: count('The number of tokens the model read.'),
        completionTokens: count('The number of tokens the model wrote.'),
        cachedTokens: count('The number of tokens read from the cache of the model.'),
      })
      .meta({
        description: 'The tokens used. All 0 for messages not written by a model, or if the model did not report them.',
      }),
    name: nullableText('The name of the author.'),
    content: nullableText('The text. `null` if the agent calls tools.'),
    toolCallId: nullableText('ID of the call that a tool message answers.'),
    toolCalls: json(objects.nullable(), 'The tool calls of the agent, each as {id, name, arguments}.'),
    feedback: json(
      z.record(z.string(), z.unknown()).nullable(),
      'Feedback from a person: {rating: like or dislike, comment}.',
    ),
    metadata: openObject(
      'Additional data. For a reply: its model, its `finishReason` (stop; length: cut off at the token limit; content-filter, tool-calls, stopped by a person, other) and its `references` to passages.',
    ),
    attachments: json(
      objects,
      'Attached images, audio and files, each as {type, url, mimeType, name, size}. For an attachment sent as data, `url` is a link valid for a day that needs no bearer token.',
    ),
    ...times,
  })
  .meta({ id: 'Message', description: 'A message in a conversation.' });

const attachment = z.object({
  type: z
    .string()
    .nullish()
    .meta({
      description: "`image`, `audio` or `file`. Types that the agent's model cannot read are rejected.",
      examples: ['image'],
    }),
  url: z.string().nullish().meta({ description: 'The URL to fetch the attachment from. Give either `url` or `data`.' }),
  data: z
    .string()
    .nullish()
    .meta({ description: 'The content in base64, at most 10 MB before encoding. Give either `data` or `url`.' }),
  mimeType: z
    .string()
    .nullish()
    .meta({ description: 'The media type, such as text/csv. For images and audio, it is detected from the content.' }),
  name: z.string().nullish().meta({ description: 'The name of the file.' }),
  size: z.number().nullish().meta({ description: 'The size in bytes. With `data`, it is calculated.' }),
});

const messageBody = z.object({
  role: z.string().nullish().meta({ description: 'The role: `user`, `assistant` or `tool`. Defaults to `user`.' }),
  content: z.string().nullish().meta({ description: 'The text, at most 32,000 characters.' }),
  name: z.string().nullish().meta({ description: 'The name of the author.' }),
  toolCallId: z
    .string()
    .nullish()
    .meta({ description: 'ID of the call that a tool message answers. Required for tool messages.' }),
  createdAt: z.iso
    .datetime({ offset: true, error: 'must be a date and time with its offset, such as 2026-07-31T09:30:00Z' })
    .nullish()
    .meta({ description: 'When the message was sent. Defaults to now.' }),
  metadata: givenObject('Any data the caller wants to store with the message.'),
  attachments: z.array(attachment).nullish().meta({ description: 'Attached images, audio and files. At most 10.' }),
});

const toolKeys = {
  name: z.string().optional().meta({ description: 'The name of the tool for the model.' }),
  description: z.string().optional().meta({ description: 'What the tool does and when to call it.' }),
  parameters: openObject('The JSON Schema of the arguments.').optional(),
};
const tool = z.object({
  ...toolKeys,
  type: z.string().optional().meta({ description: "`function`, in OpenAI's function format." }),
  function: z.object(toolKeys).optional().meta({ description: "The tool, in OpenAI's function format." }),
});

export const turnInput = z
  .object({
    id: z.string().nullish().meta({ description: 'ID of the conversation to continue. A new one if omitted.' }),
    message: messageBody.nullish().meta({ description: 'The message to send. Required unless `messages` is given.' }),
    messages: z.array(messageBody).nullish().meta({ description: 'Several messages, sent before `message`.' }),
    tools: z.array(tool).nullish().meta({
      description: "Tools of the caller, each as {name, description, parameters} or in OpenAI's function format.",
    }),
    preview: z
      .boolean()
      .nullish()
      .meta({ description: 'Whether to only try out the agent: nothing is counted and no lead is stored.' }),
    utm: z.object(utmKeys).nullish().meta({ description: 'UTM parameters that say where the visitor came from.' }),
    format: z
      .enum(['markdown', 'text', 'html', 'json'])
      .nullish()
      .meta({ description: 'The format of the reply. Defaults to `markdown`.' }),
    leadId: z.string().nullish().meta({ description: 'ID of the lead for the visitor.' }),
    platformUserIdentifier: z.string().nullish().meta({ description: "The caller's own identifier of the visitor." }),
  })
  .meta({ examples: [{ message: { content: 'How long may I return boots?' }, format: 'markdown' }] });

export const turn = z
  .strictObject({
    id: text('ID of the conversation. Send it with the next message.'),
    messages: z.array(message).meta({ description: 'The messages that this turn generated, oldest first.' }),
    status: conversationStatus,
    lead: lead.nullable().meta({ description: 'The lead for the visitor. `null` if there is none.' }),
  })
  .meta({ id: 'Turn', description: 'A turn: the reply of the agent to the messages sent.' });

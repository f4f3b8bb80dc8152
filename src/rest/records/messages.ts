import { z } from 'zod';
import { givenObject, maybeText, openObject, text, times, utmKeys } from './common.ts';
import { conversationStatus } from './conversations.ts';
import { lead } from './leads.ts';

const count = (description: string) => z.number().meta({ description });
const objects = z.array(z.record(z.string(), z.unknown()));

/** A JSON scalar of the graph, which TypeScript knows as `unknown`, with its actual shape. */
const json = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  z.unknown().pipe(schema).meta({ description });

const message = z
  .strictObject({
    id: text('The id of the message, the same in GraphQL.'),
    conversationId: text('The conversation that it was said in.'),
    role: z.enum(['system', 'user', 'assistant', 'tool']).meta({ description: 'Who speaks.' }),
    usage: z
      .strictObject({
        promptTokens: count('Tokens that the model read.'),
        completionTokens: count('Tokens that the model wrote.'),
        cachedTokens: count('Tokens read that the model had cached.'),
      })
      .meta({ description: 'The tokens that it cost; all 0 for messages that no model wrote.' }),
    name: maybeText('The name of who speaks.'),
    content: maybeText('The text; null when the agent calls tools.'),
    toolCallId: maybeText('The call that a tool message answers.'),
    toolCalls: json(objects.nullable(), 'The tools that the agent calls: {id, name, arguments} each.'),
    feedback: json(
      z.record(z.string(), z.unknown()).nullable(),
      'What a person thought of it: {rating: like or dislike, comment}.',
    ),
    metadata: openObject(
      'What else is known: of a reply, its model, its `finishReason` (stop; length: it was cut off at the most tokens; ' +
        'content-filter, tool-calls, stopped by a person, other) and its `references` to passages.',
    ),
    attachments: json(
      objects,
      'Images, audio and files that came with it: {type, url, mimeType, name, size} each. The `url` of one that was sent ' +
        'as data is a link to it, good for a day, that needs no bearer.',
    ),
    ...times,
  })
  .meta({ id: 'Message', description: 'One thing said in a conversation.' });

const attachment = z.object({
  type: z
    .string()
    .nullish()
    .meta({
      description: 'image, audio or file. What the agent’s model could not read is refused.',
      examples: ['image'],
    }),
  url: z.string().nullish().meta({ description: 'Its address, which is fetched; give this or data.' }),
  data: z
    .string()
    .nullish()
    .meta({ description: 'Its content in base64, at most 10 MB before that; give this or url.' }),
  mimeType: z
    .string()
    .nullish()
    .meta({ description: 'Its media type, such as text/csv. That of images and audio is told by their content.' }),
  name: z.string().nullish().meta({ description: 'The name of the file.' }),
  size: z.number().nullish().meta({ description: 'Its size in bytes; with data, it is counted.' }),
});

const spoken = z.object({
  role: z.string().nullish().meta({ description: 'Who speaks: user (when left out), assistant or tool.' }),
  content: z.string().nullish().meta({ description: 'The text, at most 32,000 characters.' }),
  name: z.string().nullish().meta({ description: 'The name of who speaks.' }),
  toolCallId: z
    .string()
    .nullish()
    .meta({ description: 'The call that a tool message answers; a tool message needs it.' }),
  createdAt: z.iso
    .datetime({ offset: true, error: 'must be a date and time with its offset, such as 2026-07-31T09:30:00Z' })
    .nullish()
    .meta({ description: 'When it was said; now when left out.' }),
  metadata: givenObject('Whatever the caller wants to keep with it.'),
  attachments: z.array(attachment).nullish().meta({ description: 'At most 10 images, sounds and files.' }),
});

const toolKeys = {
  name: z.string().optional().meta({ description: 'What the model calls it.' }),
  description: z.string().optional().meta({ description: 'What it does and when to call it.' }),
  parameters: openObject('The JSON Schema of its arguments.').optional(),
};
const tool = z.object({
  ...toolKeys,
  type: z.string().optional().meta({ description: 'function, in the function shape of OpenAI.' }),
  function: z.object(toolKeys).optional().meta({ description: 'The tool, in the function shape of OpenAI.' }),
});

export const turnInput = z
  .object({
    id: z.string().nullish().meta({ description: 'The conversation to go on with; left out: a new one.' }),
    message: spoken.nullish().meta({ description: 'What is said. Required unless messages is given.' }),
    messages: z.array(spoken).nullish().meta({ description: 'Several messages, said before `message`.' }),
    tools: z.array(tool).nullish().meta({
      description: 'Tools of the caller: {name, description, parameters}, or the function shape of OpenAI.',
    }),
    preview: z
      .boolean()
      .nullish()
      .meta({ description: 'Only try the agent out: nothing is counted, no lead is kept.' }),
    utm: z.object(utmKeys).nullish().meta({ description: 'Where the visitor came from.' }),
    format: z
      .enum(['markdown', 'text', 'html', 'json'])
      .nullish()
      .meta({ description: 'How the reply is written; markdown when left out.' }),
    leadId: z.string().nullish().meta({ description: 'The lead that the visitor is known as.' }),
    platformUserIdentifier: z.string().nullish().meta({ description: 'Who the visitor is for the caller.' }),
  })
  .meta({ examples: [{ message: { content: 'When are you open?' }, format: 'markdown' }] });

export const turn = z
  .strictObject({
    id: text('The id of the conversation: send it with the next message.'),
    messages: z.array(message).meta({ description: 'The messages that this turn generated, oldest first.' }),
    status: conversationStatus,
    lead: lead.nullable().meta({ description: 'The lead that the visitor is known as; null when there is none.' }),
  })
  .meta({ id: 'Turn', description: 'What the agent says to what was sent.' });

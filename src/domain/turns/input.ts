import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { knownMedia, mediaTypeOf } from '../../storage/media-type.ts';
import { moment, requiredText } from '../shared/input.ts';
import { tagsInput } from '../shared/tags.ts';
import { addressPattern, hasCredentials, noCredentials } from '../shared/web-address.ts';

const bytes = (json: unknown) => Buffer.byteLength(JSON.stringify(json));

/** JSON Schema for the API description: `key` is required and not empty. */
function input(key: string): object {
  return { required: [key], properties: { [key]: { type: 'string', minLength: 1 } } };
}

const attachment = z
  .object({
    type: z.enum(['image', 'audio', 'file']),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
      .refine((value) => !hasCredentials(value), `${noCredentials}: whoever reads the conversation would see it`)
      .meta({ pattern: addressPattern })
      .nullish(),
    data: z.base64({ error: 'must be base64', abort: true }).nullish(),
    mimeType: z.string().max(200).nullish(),
    name: z.string().max(500).nullish(),
    size: z.number().nonnegative().nullish(),
  })
  .refine(({ url, data }) => (url ? 1 : 0) + (data ? 1 : 0) === 1, 'must have exactly one of url and data')
  .meta({ oneOf: [input('url'), input('data')] })
  .superRefine(({ type, data }, check) => {
    const refuse = (message: string) => check.addIssue({ code: 'custom', path: ['data'], message });
    if (!data) return;
    if (Buffer.byteLength(data, 'base64') > limits.attachmentBytes)
      refuse(`must have at most ${limits.attachmentBytes / 1_000_000} MB`);
    else if (type !== 'file' && !isMedia(type, data))
      refuse(`must be ${knownMedia[type]}: send anything else with the type file`);
  });

const isMedia = (type: 'image' | 'audio', data: string): boolean =>
  mediaTypeOf(Buffer.from(data.slice(0, 64), 'base64'))?.startsWith(type) ?? false;

/** A call that a reply of the caller's own history made. */
const toolCall = z.object({
  id: requiredText(200),
  name: requiredText(64),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const message = z.object({
  role: z.enum(['user', 'assistant', 'tool'], 'must be user, assistant or tool').default('user'),
  content: z.string().max(limits.message).nullish(),
  name: z.string().max(200).nullish(),
  toolCallId: z.string().max(200).nullish(),
  toolCalls: z.array(toolCall).max(64).nullish(),
  createdAt: z.coerce.date().pipe(moment).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  attachments: z.array(attachment).max(limits.attachments).nullish(),
});

const inputMessage = message.superRefine(({ role, content, toolCallId, toolCalls, attachments }, check) => {
  if (toolCalls?.length && role !== 'assistant')
    check.addIssue({ code: 'custom', path: ['toolCalls'], message: 'can only be used with the role assistant' });
  if (role === 'tool' && !toolCallId)
    check.addIssue({ code: 'custom', path: ['toolCallId'], message: 'is required for a tool message' });
  if (!content && !attachments?.length && !toolCalls?.length && role !== 'tool') {
    check.addIssue({ code: 'custom', path: ['content'], message: 'must not be empty without attachments' });
  }
});

/** The checks above as JSON Schema, for the API description. */
const userMessage = inputMessage.meta({
  allOf: [
    {
      anyOf: [
        input('content'),
        { required: ['attachments'], properties: { attachments: { type: 'array', items: {}, minItems: 1 } } },
        { required: ['role'], properties: { role: { const: 'tool' } } },
      ],
    },
    {
      anyOf: [{ properties: { role: { enum: ['user', 'assistant', null] } } }, input('toolCallId')],
    },
  ],
});

const toolShape = z.object({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"'),
  description: z.string().max(4_000).default(''),
  parameters: z.record(z.string(), z.unknown()).default({ type: 'object', properties: {} }),
});

const toolRules = z.toJSONSchema(toolShape, { io: 'input' });

/** `{name, description, parameters}`, or the same wrapped in OpenAI's `{function}`. */
const tool = z
  .preprocess((input) => (isFunctionShape(input) ? input.function : input), z.unknown().pipe(toolShape))
  .meta({
    type: 'object',
    anyOf: [
      { required: toolRules.required, properties: toolRules.properties },
      {
        required: ['function'],
        not: { required: ['name'], properties: { name: {} } },
        properties: { function: { required: toolRules.required, properties: toolRules.properties } },
      },
    ],
  });
const isFunctionShape = (input: unknown): input is { function: unknown } =>
  typeof input === 'object' && input !== null && 'function' in input && !('name' in input);

const utm = z.object({
  source: z.string().max(500).nullish(),
  medium: z.string().max(500).nullish(),
  campaign: z.string().max(500).nullish(),
  content: z.string().max(500).nullish(),
  term: z.string().max(500).nullish(),
});

export const turnInput = z
  .object({
    agentId: z.string(),
    id: z.string().min(1, 'must not be empty: leave it out to start a conversation').nullish(),
    /** The caller's own name for the conversation, in place of `id`. */
    chat: requiredText(255).nullish(),
    message: userMessage.nullish(),
    messages: z.array(userMessage).max(100).nullish(),
    tools: z.array(tool).max(64).nullish(),
    preview: z.boolean().nullish(),
    utm: utm.nullish(),
    format: z.enum(['markdown', 'text', 'html', 'json']).nullish(),
    jsonSchema: z.record(z.string(), z.unknown()).nullish(),
    leadId: z.string().nullish(),
    /** Tags that a source must have to be used, in addition to the agent's. */
    sourceTags: tagsInput.nullish(),
    platformUserIdentifier: z.string().max(500).nullish(),
    idempotencyKey: requiredText(255).nullish(),
    /** The id of a reply to regenerate or of the message that it answers, or `last`; in place of messages. */
    regenerate: z.string().nullish(),
    /** The id of the user's message that `message` replaces, in a conversation that branches off before it. */
    edit: z.string().nullish(),
  })
  .superRefine((input, check) => {
    const { message: single, messages: many, tools, format, jsonSchema, regenerate, edit } = input;
    if (regenerate && (single || many?.length || edit))
      check.addIssue({ code: 'custom', path: ['regenerate'], message: 'cannot be combined with messages or edit' });
    if (input.chat && (input.id || edit))
      check.addIssue({ code: 'custom', path: ['chat'], message: 'cannot be combined with conversationId or edit' });
    if (regenerate && !input.id && !input.chat)
      check.addIssue({ code: 'custom', path: ['conversationId'], message: 'is required with regenerate' });
    if (edit && (single?.role !== 'user' || many?.length || input.id))
      check.addIssue({
        code: 'custom',
        path: ['edit'],
        message: 'needs exactly one message from the visitor, and no conversationId',
      });
    if (jsonSchema && format && format !== 'json')
      check.addIssue({ code: 'custom', path: ['jsonSchema'], message: 'can only be used with format json' });
    if (jsonSchema && bytes(jsonSchema) > 32_000)
      check.addIssue({ code: 'custom', path: ['jsonSchema'], message: 'must have at most 32 KB' });
    if (!single && !many?.length && !regenerate)
      check.addIssue({ code: 'custom', path: ['message'], message: 'is required, unless messages has at least one' });
    if (tools && bytes(tools) > 64_000)
      check.addIssue({ code: 'custom', path: ['tools'], message: 'must have at most 64 KB' });
  });

export type TurnInput = z.input<typeof turnInput>;
export type TurnRequest = Omit<z.output<typeof turnInput>, 'message'> & { message?: MessageInput | null };
/** `written`: id and author of a message that a person wrote in the agent's place. */
export type MessageInput = z.output<typeof message> & { written?: { id: string; createdBy: string } };

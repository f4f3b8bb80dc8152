import { z } from 'zod';
import { invalid } from '../core/errors.ts';
import { isObject, parsedJson } from '../core/json.ts';
import { checkValue } from '../core/validation.ts';
import { requireSmall } from '../http/body.ts';
import type { SendMessageInput } from './generated/graphql.ts';

const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const image = z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) });
const audio = z.looseObject({ type: z.literal('input_audio'), input_audio: z.looseObject({ data: z.string() }) });
const file = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({ file_data: z.string().optional(), filename: z.string().optional() }),
});
const part = z.discriminatedUnion('type', [text, refusal, image, audio, file], {
  error: 'must be a part of type text, image_url, input_audio, file or refusal',
});
type Part = z.output<typeof part>;
type Content = string | Part[] | null | undefined;

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(part)], { error: 'must be a string or a list of parts' }).nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().nullish(),
});
type Message = z.output<typeof message>;

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }),
  }),
]);

const noForcedCall = 'must be auto or none: the agent decides which tools it calls';

/** The body of a chat completion. Settings of the model, such as `temperature`, are the agent's own, and ignored. */
const completionInput = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(z.record(z.string(), z.unknown())).nullish(),
  tool_choice: z.enum(['auto', 'none'], noForcedCall).nullish(),
  response_format: responseFormat.nullish(),
  user: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  n: z.literal(1, 'must be 1: an agent gives one answer').nullish(),
  logprobs: z.literal(false, 'must be false: the probabilities of tokens are not known').nullish(),
});
type CompletionInput = z.output<typeof completionInput>;

/** A chat completion that was asked for: the turn, and how its answer is sent. */
export type CompletionRequest = { input: SendMessageInput; model: string; stream: boolean; includeUsage: boolean };

/** The most messages that a turn takes. */
const maxMessages = 100;

/**
 * Reads the body of a chat completion as a turn. With `conversation`, an ID or the caller's own name of one, only the
 * messages after the last reply are new; without one, all of them begin a conversation. Throws 400.
 */
export function readRequest(
  body: unknown,
  { conversation, idempotencyKey }: { conversation: string | null; idempotencyKey: string | null },
): CompletionRequest {
  const { data, issues } = checkValue(completionInput, body, 'body');
  if (issues) throw invalid(issues);
  const { metadata, tool_choice, tools, user, stream, stream_options } = data;
  const messages = newMessages(data.messages, conversation !== null).map(messageOf);
  const last = messages.pop();
  if (!last) throw invalid('messages: nothing is new after the last reply: send a message or the results of its tools');
  return {
    input: {
      agentId: data.model,
      ...conversationOf(conversation),
      messages: [...messages, { ...last, ...(metadata && { metadata }) }],
      tools: tool_choice === 'none' ? null : tools,
      platformUserIdentifier: user,
      idempotencyKey,
      ...formatOf(data),
    },
    model: data.model,
    stream: stream === true,
    includeUsage: stream_options?.include_usage === true,
  };
}

function conversationOf(conversation: string | null) {
  if (conversation === null) return {};
  return /^cnv_[0-9a-z]{26}$/.test(conversation) ? { conversationId: conversation } : { chat: conversation };
}

function formatOf({ response_format: format }: CompletionInput) {
  if (format?.type === 'json_object') return { format: 'json' as const };
  if (format?.type === 'json_schema') return { format: 'json' as const, jsonSchema: format.json_schema.schema };
  return {};
}

type Placed = { message: Message; path: string };

/** The messages of the turn. Those of the system are left out: the agent has instructions of its own. */
function newMessages(messages: Message[], continues: boolean): Placed[] {
  const said = messages
    .map((message, index) => ({ message, path: `messages.${index}` }))
    .filter(({ message: { role } }) => role !== 'system' && role !== 'developer');
  if (continues) return said.slice(said.findLastIndex(({ message: { role } }) => role === 'assistant') + 1);
  requireResults(said);
  const latest = said.slice(-maxMessages);
  // Results whose calls are further back than that.
  return latest.slice(latest.findIndex(({ message: { role } }) => role !== 'tool'));
}

/** Throws 400 if the last messages answer some calls of a reply, but not all. */
function requireResults(said: Placed[]): void {
  const index = said.findLastIndex(({ message: { role } }) => role !== 'tool');
  const results = new Set(said.slice(index + 1).map(({ message }) => message.tool_call_id));
  const missing = said[index]?.message.tool_calls?.filter(({ id }) => !results.has(id)) ?? [];
  if (missing.length > 0) throw invalid(`messages: no result for the tool call ${missing[0]?.id}`);
}

function messageOf({ message, path }: Placed) {
  const { role, content, name, tool_call_id: toolCallId, tool_calls: calls } = message;
  const attachments = partsIn(content).flatMap((each, index) => attachmentOf(each, `${path}.content.${index}`));
  return {
    role,
    content: textOf(content),
    name,
    ...(attachments.length > 0 && { attachments }),
    ...(role === 'tool' && { toolCallId }),
    ...(role === 'assistant' && calls?.length && { toolCalls: calls.map((call, index) => callOf(call, path, index)) }),
  };
}

const partsIn = (content: Content): Part[] => (Array.isArray(content) ? content : []);

function textOf(content: Content): string | null {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.flatMap((each) =>
    each.type === 'text' ? [each.text] : each.type === 'refusal' ? [each.refusal] : [],
  );
  return texts.join('\n') || null;
}

function attachmentOf(each: Part, path: string): Record<string, unknown>[] {
  if (each.type === 'image_url') return [{ type: 'image', ...sourceOf(each.image_url.url, `${path}.image_url.url`) }];
  if (each.type === 'input_audio') return [{ type: 'audio', data: each.input_audio.data }];
  if (each.type !== 'file') return [];
  const { file_data, filename: name } = each.file;
  if (!file_data) throw invalid(`${path}.file.file_data: is required: no files are stored here to name by file_id`);
  return [{ type: 'file', name, ...sourceOf(file_data, `${path}.file.file_data`) }];
}

/** An address, or the content of a `data:` URL. */
function sourceOf(url: string, path: string): Record<string, unknown> {
  if (!/^data:/i.test(url)) return { url };
  const [, mimeType, data] = /^data:([^;,]*)[^,]*;base64,(.*)$/is.exec(url) ?? [];
  if (data === undefined) throw invalid(`${path}: must be an address, or data:<media type>;base64,<content>`);
  return { ...(mimeType && { mimeType }), data };
}

function callOf({ id, function: called }: z.output<typeof toolCall>, path: string, index: number) {
  requireSmall(called.arguments, { path: `${path}.tool_calls.${index}.function.arguments` });
  const given = parsedJson(called.arguments || '{}');
  if (!isObject(given)) throw invalid(`${path}.tool_calls.${index}.function.arguments: must be the JSON of an object`);
  return { id, name: called.name, arguments: given };
}

import {
  APICallError,
  InvalidResponseDataError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
} from '@ai-sdk/provider';
import { GrowingText } from '../../text/growing.ts';
import { storableJson, storablePieces, storableText } from '../../text/storable.ts';
import { alternate, withAcceptedIds } from '../prompt/alternate.ts';
import { toModelMessages, wireName } from '../prompt/messages.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { StreamingModel } from '../providers/openai.ts';
import type { ReplyPart } from '../providers/reply-part.ts';
import { type Json, objectOr } from '../providers/wire.ts';
import { createTokenFilter, withoutTokens } from '../reply/control-tokens.ts';
import { createThoughtFilter, startOfAnswer, withoutThoughts } from '../reply/thoughts.ts';
import type { ReplyRequest, ToolDefinition } from '../types.ts';
import { recordGeneration } from './attempt-span.ts';
import { type Generated, generate, generateParts } from './generate.ts';

/**
 * One call of a model. `reads`: which media types the model accepts; `quotes`: set for the embedded model, whose text
 * never contains thoughts.
 */
type ModelCall = {
  model: StreamingModel;
  reads: (mediaType: string) => boolean;
  prompt: Pick<Prompt, 'system' | 'messages'>;
  quotes?: boolean;
};

/** Calls a model and returns its complete output. Rejects with the SDK's error. */
export async function generateWhole(call: ModelCall, request: ReplyRequest, signal: AbortSignal): Promise<Generated> {
  const { text: raw, toolCalls, ...end } = await generate(call.model, callOptions(call, request, signal));
  const text = storableText(raw);
  return { ...end, text: call.quotes ? text : answerOf(call.model, text), toolCalls: toolCalls.map(storableCall) };
}

/** Listens to a streamed reply: `onStart` is called before its first word or tool call, `text` with each delta. */
type StreamListener = { onStart: () => void; text: (delta: string) => void };

/**
 * Like `generateWhole`, but streams the text to `listener`. Resolves with the output so far if the signal stops it
 * midway.
 */
export async function generateStreamed(
  call: ModelCall,
  request: ReplyRequest,
  signal: AbortSignal,
  listener: StreamListener,
): Promise<Generated> {
  const generated: Generated = { text: '', toolCalls: [], finishReason: 'other', usage: { inputTokenDetails: {} } };
  const filter = call.quotes ? null : createThoughtFilter({ begun: startsInThought(call.model) });
  const tokens = createTokenFilter();
  const pieces = storablePieces();
  const raw = new GrowingText();
  const answer = new GrowingText();
  const take = (text: string) => {
    raw.push(text);
    emit(filter ? tokens.push(filter.push(text)) : text);
  };
  const emit = (text: string) => {
    // White space alone does not count as a start, so that an empty reply can still be retried.
    if (text.trim()) listener.onStart();
    answer.push(text);
    if (text) listener.text(text);
  };
  for await (const part of partsOf(call, request, signal)) {
    if (part.type === 'text-delta') take(pieces.push(part.text));
    // A call that nobody asked for is no answer: the next model may give one.
    else if (part.type === 'tool-input-start' && request.toolChoice !== 'none') listener.onStart();
    else if (part.type === 'tool-call') generated.toolCalls.push(storableCall(part));
    else if (part.type === 'error') throw streamError(part.error, call.prompt);
    else if (part.type === 'finish') {
      const { finishReason, rawFinishReason, usage } = part;
      Object.assign(generated, { text: answer.toString(), finishReason, rawFinishReason, usage });
      recordGeneration(generated);
    }
  }
  if (signal.aborted && generated.finishReason === 'other') throw signal.reason;
  if (/interrupted/.test(generated.finishReason)) throw interruptedStream(call.prompt);
  take(pieces.end());
  if (filter) {
    emit(tokens.push(filter.end()) + tokens.end());
  }
  generated.text = filter ? answerOf(call.model, raw.toString()) : answer.toString();
  return generated;
}

/** The parts of a streamed reply; failures are among them. */
function partsOf(call: ModelCall, request: ReplyRequest, signal: AbortSignal): AsyncIterable<ReplyPart> {
  const options = callOptions(call, request, signal);
  const isPlain = request.tools.length === 0 && options.prompt.every(isText);
  return isPlain && call.model.streamPlain
    ? call.model.streamPlain(options, { isFollowed: request.isFollowed ?? true })
    : generateParts(call.model, options);
}

const isText = ({ role, content }: LanguageModelV4CallOptions['prompt'][number]): boolean =>
  role === 'system' || content.every(({ type }) => type === 'text');

type Call = Generated['toolCalls'][number];

const storableCall = ({ toolCallId, toolName, input }: Call): Call => ({
  toolCallId: storableText(toolCallId),
  toolName: storableText(toolName),
  input: storableJson(input),
});

/** For each model called: whether its last reply began inside a thought, opened by the chat template. */
const startedInThought = new WeakMap<LanguageModelV4, boolean>();

function answerOf(model: LanguageModelV4, raw: string): string {
  if (raw) startedInThought.set(model, startOfAnswer(raw, true) !== 0);
  return withoutTokens(withoutThoughts(raw));
}

/**
 * Whether to hold a reply back until its thought ends, since emitted text cannot be taken back. Before a model's first
 * reply, its name is the only clue.
 */
const startsInThought = (model: LanguageModelV4): boolean =>
  startedInThought.get(model) ?? /\b(r1|qwq|thinking|reasoner)\b/i.test(model.modelId);

/** The options of a single call: `tryModels` decides on retries. */
function callOptions(
  { model, reads, prompt, quotes }: ModelCall,
  request: ReplyRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { temperature, maxOutputTokens } = request.agent;
  const messages = quotes ? prompt.messages : withAcceptedIds(alternate(prompt.messages), model);
  return {
    prompt: [
      ...(prompt.system ? [{ role: 'system' as const, content: prompt.system }] : []),
      ...toModelMessages(messages, reads),
    ],
    ...(request.tools.length > 0 && {
      tools: functionsOf(request.tools),
      toolChoice: { type: request.toolChoice ?? 'auto' },
    }),
    ...(request.format === 'json' && { responseFormat: { type: 'json' as const } }),
    ...(temperature != null && { temperature }),
    ...(maxOutputTokens != null && { maxOutputTokens }),
    abortSignal,
  };
}

/** The tools by the names that models accept; of two with the same, the last. */
function functionsOf(tools: ToolDefinition[]): LanguageModelV4FunctionTool[] {
  const named = new Map(tools.map((tool) => [wireName(tool.name), tool]));
  return Array.from(named, ([name, { description, parameters }]) => ({
    type: 'function',
    name,
    description: description ?? '',
    inputSchema: { type: 'object', properties: {}, ...parameters } as LanguageModelV4FunctionTool['inputSchema'],
  }));
}

const early = 'the stream ended before the reply was complete';

/** A stream that ended, or was interrupted, before the reply was complete: the same attempt may succeed again. */
const interruptedStream = (requestBodyValues: unknown): APICallError =>
  new APICallError({ message: early, url: '', requestBodyValues, isRetryable: true });

/**
 * An error within a stream as that of a call, if a provider has sent it. It carries the prompt, which tells the
 * provider's own words from what it repeats of the conversation.
 */
function streamError(error: unknown, requestBodyValues: unknown): unknown {
  if (InvalidResponseDataError.isInstance(error)) return interruptedStream(requestBodyValues);
  if (error instanceof Error) return error;
  const sent = objectOr(error);
  const nested = [objectOr(sent.response).error, sent.error].find((each) => typeof each === 'object' && each !== null);
  const details = { ...sent, ...objectOr(nested) };
  const { message, type, code, isRetryable = details.is_retryable } = details;
  if (typeof message !== 'string') return error;
  const statusCode = statusOf(details) ?? passing[message.trim().toLowerCase()];
  return new APICallError({
    message,
    url: '',
    requestBodyValues,
    data: { error: { type, code } },
    ...(statusCode && { statusCode }),
    ...(typeof isRetryable === 'boolean' && { isRetryable }),
  });
}

/** What providers say without a code when they fail for a while. */
const passing: Record<string, number> = {
  overloaded: 503,
  'overloaded error': 503,
  'model overloaded': 503,
  'internal server error': 500,
  'service unavailable': 503,
};

const statusOf = ({ statusCode, status_code, status, code }: Json): number | undefined =>
  [statusCode, status_code, status, code].map(statusIn).find(Boolean);

function statusIn(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

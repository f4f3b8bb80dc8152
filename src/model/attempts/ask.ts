import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import {
  APICallError,
  generateText,
  InvalidResponseDataError,
  jsonSchema,
  type ModelMessage,
  NoOutputGeneratedError,
  Output,
  StreamProviderError,
  streamText,
  tool,
} from 'ai';
import { storableJson, storablePieces, storableText } from '../../text/storable.ts';
import { alternate, withAcceptedIds } from '../prompt/alternate.ts';
import { toModelMessages, wireName } from '../prompt/messages.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { StreamingModel } from '../providers/openai.ts';
import type { ReplyPart } from '../providers/openai-stream.ts';
import { createTokenFilter, withoutTokens } from '../reply/control-tokens.ts';
import { createThoughtFilter, startOfAnswer, withoutThoughts } from '../reply/thoughts.ts';
import type { ReplyRequest, ToolDefinition } from '../types.ts';
import { recordGeneration } from './attempt-span.ts';

/**
 * One call of a model. `reads`: which media types the model accepts; `quotes`: set for the embedded model, whose text
 * never contains thoughts.
 */
export type ModelCall = {
  model: StreamingModel;
  reads: (mediaType: string) => boolean;
  prompt: Pick<Prompt, 'system' | 'messages'>;
  quotes?: boolean;
};

/** The output of one model call, streamed or not. */
export type Generated = {
  text: string;
  toolCalls: { toolCallId: string; toolName: string; input: unknown; invalid?: boolean | undefined }[];
  finishReason: string;
  /** In the provider's own words. */
  rawFinishReason?: string | undefined;
  usage: {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    inputTokenDetails: { cacheReadTokens?: number | undefined };
    /** As the provider reported it. */
    raw?: unknown;
  };
};

// By default the SDK logs warnings about settings to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Calls a model and returns its complete output. Rejects with the SDK's error. */
export async function generateWhole(call: ModelCall, request: ReplyRequest, signal: AbortSignal): Promise<Generated> {
  const generated = await generateText(callOptions(call, request, signal));
  const { text: raw, toolCalls: calls, finishReason, rawFinishReason, usage } = generated;
  recordGeneration({ finishReason, usage });
  const text = storableText(raw);
  const toolCalls = calls.map(storableCall);
  return { text: call.quotes ? text : answerOf(call.model, text), toolCalls, finishReason, rawFinishReason, usage };
}

/** Listens to a streamed reply: `onStart` is called before its first word or tool call, `text` with each delta. */
export type StreamListener = { onStart: () => void; text: (delta: string) => void };

/** Like `generateWhole`, but streams the text to `listener`. Resolves with the output so far if the signal stops it midway. */
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
  let raw = '';
  const take = (text: string) => {
    raw += text;
    emit(filter ? tokens.push(filter.push(text)) : text);
  };
  const emit = (text: string) => {
    // White space alone does not count as a start, so that an empty reply can still be retried.
    if (text.trim()) listener.onStart();
    generated.text += text;
    if (text) listener.text(text);
  };
  for await (const part of partsOf(call, request, signal)) {
    if (part.type === 'text-delta') take(pieces.push(part.text));
    else if (part.type === 'tool-input-start') listener.onStart();
    else if (part.type === 'tool-call') generated.toolCalls.push(storableCall(part));
    else if (part.type === 'error') throw streamError(part.error, call.prompt);
    else if (part.type === 'finish') {
      const { finishReason, rawFinishReason, totalUsage: usage } = part;
      Object.assign(generated, { finishReason, rawFinishReason, usage });
      recordGeneration(generated);
    }
  }
  if (signal.aborted && generated.finishReason === 'other') throw signal.reason;
  if (/interrupted/.test(generated.finishReason)) throw streamError(new Error(endedEarly), call.prompt);
  take(pieces.end());
  if (filter) {
    emit(tokens.push(filter.end()) + tokens.end());
    generated.text = answerOf(call.model, raw);
  }
  return generated;
}

/** The parts of a streamed reply; failures are among them. */
function partsOf(call: ModelCall, request: ReplyRequest, signal: AbortSignal): AsyncIterable<ReplyPart> {
  const options = callOptions(call, request, signal);
  const prompt = request.tools.length === 0 ? plainPrompt(options) : null;
  if (prompt && call.model.streamPlain) {
    const { temperature, maxOutputTokens, abortSignal, output } = options;
    const format = output && ({ responseFormat: { type: 'json' } } as const);
    const given: LanguageModelV4CallOptions = { prompt, temperature, maxOutputTokens, abortSignal, ...format };
    return call.model.streamPlain(given);
  }
  // Without `onError` the SDK would log failures to the console too.
  return streamText({ ...options, onError: () => {} }).stream as AsyncIterable<ReplyPart>;
}

/** Instructions and messages of text alone in the form that models of the SDK take; null if there is anything else. */
function plainPrompt({ instructions, messages }: CallOptions): LanguageModelV4Prompt | null {
  const prompt: LanguageModelV4Prompt = instructions ? [{ role: 'system', content: instructions }] : [];
  for (const { role, content } of messages) {
    if (typeof content !== 'string' || (role !== 'user' && role !== 'assistant')) return null;
    prompt.push({ role, content: [{ type: 'text', text: content }] });
  }
  return prompt;
}

const endedEarly = 'the stream ended before the reply was complete';

/**
 * An error within a stream as that of a call. It carries the prompt, which tells the provider's own words from what it
 * repeats of the conversation.
 */
function streamError(error: unknown, requestBodyValues: ModelCall['prompt']): unknown {
  const isEarly =
    InvalidResponseDataError.isInstance(error) ||
    NoOutputGeneratedError.isInstance(error) ||
    (error instanceof Error && error.message === endedEarly);
  if (isEarly) return new APICallError({ message: endedEarly, url: '', requestBodyValues, isRetryable: true });
  if (!StreamProviderError.isInstance(error)) return error;
  const { message, type, code, statusCode, isRetryable } = error;
  const data = { error: { type, code } };
  return new APICallError({
    message,
    url: '',
    requestBodyValues,
    data,
    ...(statusCode && { statusCode }),
    isRetryable,
  });
}

type Call = Generated['toolCalls'][number];

const storableCall = ({ toolCallId, toolName, input, invalid }: Call): Call => ({
  toolCallId: storableText(toolCallId),
  toolName: storableText(toolName),
  input: storableJson(input),
  invalid,
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

type CallOptions = ReturnType<typeof callOptions>;

/** The SDK's options for a single call, without retries: `tryModels` decides on those. */
function callOptions({ model, reads, prompt, quotes }: ModelCall, request: ReplyRequest, abortSignal: AbortSignal) {
  const { temperature, maxOutputTokens } = request.agent;
  const messages = quotes ? prompt.messages : withAcceptedIds(alternate(prompt.messages), model);
  return {
    model,
    instructions: prompt.system,
    messages: toModelMessages(messages, reads) as ModelMessage[],
    ...(request.tools.length > 0 && { tools: toolSet(request.tools) }),
    ...(request.toolChoice && { toolChoice: request.toolChoice }),
    ...(request.format === 'json' && { output: anyJson }),
    ...(temperature != null && { temperature }),
    ...(maxOutputTokens != null && { maxOutputTokens }),
    maxRetries: 0,
    abortSignal,
    experimental_download: downloadNothing,
  };
}

/** JSON mode, with the text parsed by us: `Output.json` would fail on a fenced reply. */
const anyJson = { ...Output.text(), name: 'json', responseFormat: Promise.resolve({ type: 'json' as const }) };

/** The SDK would download URLs that a model cannot fetch itself; only guardedFetch may make outbound requests. */
const downloadNothing = (files: unknown[]) => Promise.resolve(files.map(() => null));

/** The tools for the SDK, without `execute`: a tool call ends the model call, and `converse` continues from there. */
const toolSet = (tools: ToolDefinition[]) =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => {
      const schema = { type: 'object', properties: {}, ...parameters } as Parameters<typeof jsonSchema>[0];
      return [wireName(name), tool({ description: description ?? '', inputSchema: jsonSchema(schema) })];
    }),
  );

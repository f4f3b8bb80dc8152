import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText, jsonSchema, type ModelMessage, Output, streamText, tool } from 'ai';
import { toModelMessages, wireName } from '../prompt/messages.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { createThoughtFilter, startOfAnswer, withoutThoughts } from '../reply/thoughts.ts';
import type { ReplyRequest, ToolDefinition } from '../types.ts';

/** A model that is asked once, and with what; `reads`: which media types it is shown; `quotes`: it has no thoughts. */
export type ModelCall = {
  model: LanguageModelV4;
  reads: (mediaType: string) => boolean;
  prompt: Prompt;
  quotes?: boolean;
};

/** What a model generated in one call, however it was read. */
export type Generated = {
  text: string;
  toolCalls: { toolCallId: string; toolName: string; input: unknown; invalid?: boolean | undefined }[];
  finishReason: string;
  usage: {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    inputTokenDetails: { cacheReadTokens?: number | undefined };
    /** As the provider told it. */
    raw?: unknown;
  };
};

// The SDK would write its remarks on settings to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Asks a model once for all of what it has to say. Rejects with what went wrong as the SDK tells it. */
export async function askWhole(asked: ModelCall, request: ReplyRequest, signal: AbortSignal): Promise<Generated> {
  const { text, toolCalls, finishReason, usage } = await generateText(callOptions(asked, request, signal));
  return { text: asked.quotes ? text : answerOf(asked.model, text), toolCalls, finishReason, usage };
}

/** What a model tells while it speaks: `began` before its first word or call, then each piece of text. */
export type StreamListener = { began: () => void; text: (delta: string) => void };

/** The same, heard while it is said. When the signal stops it, it is what was said so far. */
export async function askStreamed(
  asked: ModelCall,
  request: ReplyRequest,
  signal: AbortSignal,
  heard: StreamListener,
): Promise<Generated> {
  const generated: Generated = { text: '', toolCalls: [], finishReason: 'other', usage: { inputTokenDetails: {} } };
  // Failures come as parts of the stream; without `onError` the SDK would also write them to the console.
  const { stream } = streamText({ ...callOptions(asked, request, signal), onError: () => {} });
  const filter = asked.quotes ? null : createThoughtFilter({ begun: beginsInThought(asked.model) });
  let raw = '';
  const hear = (text: string) => {
    // White space alone is no answer yet: another try may give one.
    if (text.trim()) heard.began();
    generated.text += text;
    if (text) heard.text(text);
  };
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      raw += part.text;
      hear(filter ? filter.push(part.text) : part.text);
    } else if (part.type === 'tool-input-start') heard.began();
    else if (part.type === 'tool-call') generated.toolCalls.push(part);
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') {
      Object.assign(generated, { finishReason: part.finishReason, usage: part.totalUsage });
    }
  }
  if (signal.aborted && generated.finishReason === 'other') throw signal.reason;
  if (filter) {
    hear(filter.end());
    generated.text = answerOf(asked.model, raw);
  }
  return generated;
}

/** Of each model that was heard, whether its last reply began within a thought, which its template had opened. */
const thinking = new WeakMap<LanguageModelV4, boolean>();

function answerOf(model: LanguageModelV4, raw: string): string {
  if (raw) thinking.set(model, startOfAnswer(raw, true) !== 0);
  return withoutThoughts(raw);
}

/**
 * Whether a reply is held back until its thought ends: what was told cannot be unsaid. Before a model was heard, its name
 * is all there is to go by.
 */
const beginsInThought = (model: LanguageModelV4): boolean =>
  thinking.get(model) ?? /\b(r1|qwq|thinking|reasoner)\b/i.test(model.modelId);

/** One call of the model, as the SDK takes it. Whoever calls it decides on another try. */
function callOptions({ model, reads, prompt }: ModelCall, request: ReplyRequest, abortSignal: AbortSignal) {
  const { temperature, maxOutputTokens } = request.agent;
  return {
    model,
    instructions: prompt.system,
    messages: toModelMessages(prompt.messages, reads) as ModelMessage[],
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

/** JSON mode of the model, whose text is read by us: `Output.json` would fail on a fenced answer. */
const anyJson = { ...Output.text(), name: 'json', responseFormat: Promise.resolve({ type: 'json' as const }) };

/** The SDK would fetch addresses that a model cannot; here only guardedFetch reaches out. */
const downloadNothing = (files: unknown[]) => Promise.resolve(files.map(() => null));

/** The tools as the SDK takes them, without `execute`: a call ends its answer, and `converse` goes on from there. */
const toolSet = (tools: ToolDefinition[]) =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => {
      const schema = { type: 'object', properties: {}, ...parameters } as Parameters<typeof jsonSchema>[0];
      return [wireName(name), tool({ description: description ?? '', inputSchema: jsonSchema(schema) })];
    }),
  );

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { generateText, jsonSchema, type ModelMessage, Output, tool } from 'ai';
import { modelFailure, unusableAnswer } from './failures.ts';
import { toModelMessages, wireName } from './messages.ts';
import { buildPrompt } from './prompt.ts';
import { citeReferences } from './references.ts';
import type { JsonValue, Reply, ReplyRequest, ToolCall, ToolDefinition } from './types.ts';

/** A model and how to ask it: `media` when it is shown images and audio, `secret` never to be logged. */
export type Asked = {
  model: LanguageModelV4;
  media: boolean;
  secret: string | null;
  timeoutMs: number;
  retries: number;
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
  };
};

// The SDK would write its remarks on settings to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Asks a model once for a reply. Throws 502 `model_error`, 503 `unavailable` (stopped), 504 `model_timeout`. */
export async function askModel(asked: Asked, request: ReplyRequest): Promise<Reply> {
  const timeout = AbortSignal.timeout(asked.timeoutMs);
  const { signal } = request;
  try {
    return readReply(request, await generate(asked, request, signal ? AbortSignal.any([timeout, signal]) : timeout));
  } catch (error) {
    const situation = { timedOut: timeout.aborted, stopped: signal?.aborted ?? false, secret: asked.secret };
    throw modelFailure(error, situation);
  }
}

const generate = (asked: Asked, request: ReplyRequest, abortSignal: AbortSignal): Promise<Generated> =>
  generateText(callOptions(asked, request, abortSignal));

/** One call of the model, as the SDK takes it for a whole reply and for a stream alike. */
export function callOptions(asked: Asked, request: ReplyRequest, abortSignal: AbortSignal) {
  const { system, messages } = buildPrompt(request);
  const tools = toolSet(request.tools);
  return {
    model: asked.model,
    instructions: system,
    messages: toModelMessages(messages, asked.media) as ModelMessage[],
    ...(request.tools.length > 0 && { tools }),
    ...(request.format === 'json' && { output: anyJson }),
    maxRetries: asked.retries,
    abortSignal,
    experimental_download: downloadNothing,
  };
}

/** JSON mode of the model, whose text is read by us: `Output.json` would fail on a fenced answer. */
const anyJson = { ...Output.text(), name: 'json', responseFormat: Promise.resolve({ type: 'json' as const }) };

/** The SDK would fetch addresses that a model cannot; here only guardedFetch reaches out. */
const downloadNothing = (files: unknown[]) => Promise.resolve(files.map(() => null));

/** The caller's tools. None has an `execute`: a call ends the turn and the caller goes on with the result. */
const toolSet = (tools: ToolDefinition[]) =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => {
      const schema = { type: 'object', properties: {}, ...parameters } as Parameters<typeof jsonSchema>[0];
      return [wireName(name), tool({ description: description ?? '', inputSchema: jsonSchema(schema) })];
    }),
  );

/** What was generated as a reply: calls that can be answered, or words with checked citations. Throws 502. */
export function readReply(request: ReplyRequest, { text, toolCalls, finishReason, usage }: Generated): Reply {
  const spent = {
    usage: {
      promptTokens: usage.inputTokens ?? 0,
      completionTokens: usage.outputTokens ?? 0,
      cachedTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    },
    finish: finishOf(finishReason),
  };
  const calls = readCalls(request.tools, toolCalls);
  if (calls.length > 0) return { content: null, toolCalls: calls, references: [], ...spent };
  const said = request.format === 'json' ? readJson(text) : text.trim();
  if (!said && toolCalls.length > 0)
    throw unusableAnswer('The model called a tool in a way that cannot be read.', 'bad call');
  if (!said) throw unusableAnswer('The model gave an empty answer. Ask again.', `empty, finish: ${finishReason}`);
  return { ...cite(request, said), toolCalls: null, ...spent };
}

/** Words of a reply with their citations checked and numbered. */
export const cite = ({ passages, format, agent }: ReplyRequest, content: string) =>
  citeReferences({ content, passages, format, enabled: agent.references });

/** The calls that can be answered: of tools that were offered, with arguments that are an object; each with its own id. */
function readCalls(tools: ToolDefinition[], calls: Generated['toolCalls']): ToolCall[] {
  const seen = new Set<string>();
  return calls.flatMap(({ toolCallId, toolName, input, invalid }) => {
    const offered = tools.find(({ name }) => wireName(name) === toolName);
    if (invalid || !offered || typeof input !== 'object' || input === null || Array.isArray(input)) return [];
    const id = seen.has(toolCallId) ? `${toolCallId}_${seen.size}` : toolCallId;
    seen.add(id);
    return [{ id, name: offered.name, arguments: input as Record<string, JsonValue> }];
  });
}

/** The JSON of an answer, without the fence that some models put around it. */
function readJson(text: string): string {
  const json = /^\s*```(?:json)?\s*([\s\S]*?)```\s*$/.exec(text)?.[1] ?? text;
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    throw unusableAnswer('The model did not answer in JSON, the format asked for. Ask again.', 'not JSON');
  }
}

const finishes: Record<string, Reply['finish']> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};

const finishOf = (reason: string): Reply['finish'] => finishes[reason] ?? 'other';

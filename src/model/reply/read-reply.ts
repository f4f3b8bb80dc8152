import { invalid, ParleyError } from '../../core/errors.ts';
import type { Generated } from '../attempts/ask.ts';
import { unusableAnswer } from '../attempts/failures.ts';
import { wireName } from '../prompt/messages.ts';
import { unbackedLeaves } from '../restricted/json-leaves.ts';
import { isJsonAnswer, keepGrounded, keepGroundedAnswer } from '../restricted/keep-grounded.ts';
import type { JsonValue, Reply, TokenUsage, ToolCall, ToolDefinition } from '../types.ts';
import { type Answering, cite } from './cite.ts';
import { SchemaError, validateBySchema } from './json-schema.ts';

/** The result of one model call. */
export type ModelResult = Pick<Reply, 'content' | 'toolCalls' | 'references' | 'finish' | 'withheld'>;

/** Invalid JSON, or JSON that violates the caller's schema. The model is told the `validationErrors`, and may try once more. */
export class UnusableJson extends ParleyError {
  readonly validationErrors: string[];

  constructor(message: string, validationErrors: string[]) {
    super('model_error', message, {
      issues: validationErrors.map((validationError) => ({ message: validationError })),
    });
    this.validationErrors = validationErrors;
  }
}

/** Reads a model's output as a reply: valid tool calls, or content with verified citations. Throws 502. */
export function readReply(request: Answering, { text, toolCalls, finishReason }: Generated): ModelResult {
  const finish = finishes[finishReason] ?? 'other';
  const calls = request.toolChoice === 'none' ? [] : readCalls(request.tools, toolCalls);
  if (calls.length > 0) return { content: null, toolCalls: calls, references: [], finish, withheld: 0 };
  const { text: content, withheld } =
    request.format === 'json' ? readJson(request, text) : readText(request, text.trim());
  if (!content && toolCalls.length > 0)
    throw unusableAnswer('The model made a tool call that could not be parsed.', 'bad call');
  if (!content) throw unusableAnswer('The model returned an empty reply. Try again.', `empty, finish: ${finishReason}`);
  const cited = cite(request, content);
  if (!cited.content) throw unusableAnswer('The model returned an empty reply. Try again.', 'nothing but markup');
  return { ...cited, toolCalls: null, finish, withheld };
}

const readText = (request: Answering, text: string): Readable =>
  request.grounded && text ? keepGrounded(request, text) : { text, withheld: 0 };

export const usageOf = ({ usage }: Generated): TokenUsage => ({
  promptTokens: tokensIn(usage, usage.inputTokens, 'prompt_tokens'),
  completionTokens: tokensIn(usage, usage.outputTokens, 'completion_tokens'),
  cachedTokens: tokensIn(usage, usage.inputTokenDetails.cacheReadTokens, 'prompt_tokens'),
});

/** A token count; null if it is not one. The SDK turns counts that an OpenAI-compatible endpoint omits into 0. */
function tokensIn({ raw }: Generated['usage'], count: number | undefined, name: string): number | null {
  if (count === undefined || !Number.isInteger(count) || count < 0 || count > 2_147_483_647) return null;
  const reported = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : null;
  const isOpenAi =
    reported && ('prompt_tokens' in reported || 'completion_tokens' in reported || Object.keys(reported).length === 0);
  return isOpenAi && count === 0 && typeof reported[name] !== 'number' ? null : count;
}

/** The valid calls: of tools that were offered, with an object as arguments; ids are made unique. */
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

type Readable = { text: string; withheld: number };

/** Parses a JSON reply, with or without a fence around it, and validates it against the caller's schema. */
function readJson(request: Answering, text: string): Readable {
  const schema = request.jsonSchema;
  const json = /^\s*```(?:json)?\s*([\s\S]*?)```\s*$/.exec(text)?.[1] ?? text;
  const value = parseJson(json);
  const validationErrors = schema ? validationIssues(schema, value) : [];
  if (validationErrors.length > 0)
    throw new UnusableJson('The JSON of the model does not match the schema: see issues.', validationErrors);
  if (request.grounded && !schema && isJsonAnswer(value)) return keepGroundedAnswer(request, value);
  const unbacked = request.grounded ? unbackedLeaves(request, value) : [];
  if (unbacked.length > 0)
    throw new UnusableJson(
      'The JSON of the model contains statements that the agent has no source for: see issues.',
      unbacked,
    );
  return { text: JSON.stringify(value), withheld: 0 };
}

function parseJson(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    throw new UnusableJson('The model did not reply in JSON, the requested format. Try again.', ['it is not JSON']);
  }
}

function validationIssues(schema: Record<string, unknown>, value: JsonValue): string[] {
  try {
    return validateBySchema(schema, value);
  } catch (error) {
    if (error instanceof SchemaError) throw invalid(`jsonSchema: ${error.message}`);
    throw error;
  }
}

const finishes: Record<string, Reply['finish']> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  'tool-calls': 'tool-calls',
};

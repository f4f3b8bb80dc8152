import { invalid, ParleyError } from '../../core/errors.ts';
import { isObject, parsedJson } from '../../core/json.ts';
import { unusableAnswer } from '../attempts/failures.ts';
import type { Generated } from '../attempts/generate.ts';
import { wireName } from '../prompt/messages.ts';
import { refusalAtEnd, refused } from '../providers/refusals.ts';
import { SchemaError, validateBySchema } from '../reply/json-schema.ts';
import { type Grounds, groundsOf, type JudgedRequest } from '../restricted/grounds.ts';
import { isJsonAnswer, keepGrounded, keepGroundedAnswer } from '../restricted/keep-grounded.ts';
import type { JsonValue, Reply, ToolCall, ToolDefinition } from '../types.ts';
import { type Answering, cite } from './cite.ts';

/** The result of one model call. `broken`: calls that cannot be made, which the model may repair. */
export type ModelResult = Pick<Reply, 'content' | 'toolCalls' | 'references' | 'finish' | 'withheld' | 'checks'> & {
  broken?: BrokenCall[];
};
type BrokenCall = Pick<ToolCall, 'id' | 'name'> & { why: string };

/**
 * Invalid JSON, or JSON that violates the caller's schema. The model is told the `validationErrors`, and may try once
 * more.
 */
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
export function readReply(request: Answering, generated: Generated): ModelResult {
  const { text, toolCalls, finishReason } = generated;
  const finish = finishes[finishReason] ?? 'other';
  const { calls, broken } = readCalls(request.tools, request.toolChoice === 'none' ? [] : toolCalls);
  if (calls.length > 0 || (broken.length > 0 && request.repairsCalls))
    return { content: null, toolCalls: calls, references: [], finish, ...unchecked, broken };
  const {
    text: content,
    withheld,
    checks,
  } = request.format === 'json' ? readJson(request, text) : readText(request, text.trim());
  if (!content && toolCalls.length > 0)
    throw unusableAnswer('The model made a tool call that could not be parsed.', 'bad call');
  if (!content) throw emptyReply(generated);
  const cited = cite(request, content);
  if (!cited.content) throw unusableAnswer('The model returned an empty reply. Try again.', 'nothing but markup');
  return { ...cited, toolCalls: null, finish, withheld, checks };
}

/** Why nothing was said: trying again is of use only where the provider names no reason. */
function emptyReply({ finishReason, rawFinishReason }: Generated): ParleyError {
  const said = rawFinishReason ?? finishReason;
  const refusal = refusalAtEnd(finishReason, rawFinishReason);
  if (refusal) return refused(refusal, said);
  const message =
    finishReason === 'length'
      ? 'The model used all the tokens of its reply before its first word, perhaps for thinking. The messages are stored. Raise maxOutputTokens of the agent.'
      : 'The model returned an empty reply. Try again.';
  return unusableAnswer(message, `empty, finish: ${said}`);
}

const readText = (request: Answering, text: string): Readable =>
  request.grounded && text ? keepGrounded(request, text) : { text, ...unchecked };

/** Separates calls of tools that were offered, with an object as arguments, from others. Their ids are made unique. */
function readCalls(tools: ToolDefinition[], given: Generated['toolCalls']) {
  const seen = new Set<string>();
  const calls: ToolCall[] = [];
  const broken: BrokenCall[] = [];
  for (const { toolCallId, toolName, input } of given) {
    const id = seen.has(toolCallId) ? `${toolCallId}_${seen.size}` : toolCallId;
    seen.add(id);
    const offered = tools.find(({ name }) => wireName(name) === wireName(toolName));
    const args = readArguments(input);
    if (offered && args) calls.push({ id, name: offered.name, arguments: args });
    else
      broken.push({ id, name: offered?.name ?? (wireName(toolName) || 'unknown'), why: whyBroken(tools, !!offered) });
  }
  return { calls, broken };
}

/** The arguments of a call: an object, or JSON text of one, with or without a fence. Null for anything else. */
function readArguments(input: unknown): ToolCall['arguments'] | null {
  if (typeof input === 'string') {
    const json = unfenced(input).trim() || '{}';
    return json.startsWith('{') ? readArguments(parsedJson(json)) : null;
  }
  return isObject(input) ? (input as ToolCall['arguments']) : null;
}

const whyBroken = (tools: ToolDefinition[], isOffered: boolean): string =>
  isOffered
    ? 'The call was not made: its arguments are not an object of JSON. Call the tool again with valid JSON.'
    : `The call was not made: there is no such tool. The tools are ${tools.map(({ name }) => wireName(name)).join(', ')}.`;

/** Of a reply that is not checked, or has no sentences. */
export const unchecked: Pick<Reply, 'withheld' | 'checks'> = { withheld: 0, checks: [] };

type Readable = { text: string } & typeof unchecked;

/** Parses a JSON reply, with or without a fence around it, and validates it against the caller's schema. */
function readJson(request: Answering, text: string): Readable {
  const schema = request.jsonSchema;
  const value = parseJson(unfenced(text));
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
  return { text: JSON.stringify(value), ...unchecked };
}

/** JSON text without the fence around it, if there is one. */
const unfenced = (text: string): string => /^\s*```(?:json)?\s*([\s\S]*?)```\s*$/.exec(text)?.[1] ?? text;

function parseJson(json: string): JsonValue {
  const value = parsedJson(json);
  if (value !== undefined) return value as JsonValue;
  throw new UnusableJson('The model did not reply in JSON, the requested format. Try again.', ['it is not JSON']);
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

const maxIssues = 10;

/** The paths of values in a restricted agent's JSON that nothing backs. Values that the schema offers are accepted. */
function unbackedLeaves(request: JudgedRequest, value: JsonValue): string[] {
  const offered = JSON.stringify(request.jsonSchema ?? {});
  return leavesOf(groundsOf(request), offered, value, '')
    .slice(0, maxIssues)
    .map(
      (path) => `${path || '/'}: rests on no passage, result of a tool or instruction, and on nothing that was said`,
    );
}

function leavesOf(grounds: Grounds, offered: string, value: JsonValue, path: string): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leavesOf(grounds, offered, item, `${path}/${key}`));
  }
  if (value === null || typeof value === 'boolean' || offered.includes(JSON.stringify(value))) return [];
  return grounds.contains(String(value)) ? [] : [path];
}

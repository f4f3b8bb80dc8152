import type { ErrorBody } from '../core/errors.ts';
import { internalError, ParleyError, statusOf } from '../core/errors.ts';
import { errorBodyOf } from './errors.ts';
import type { CompletionFragment, ModelFragment } from './generated/graphql.ts';

/** An agent as a model. `name` is an addition: the graph's IDs say nothing to people. */
export const modelOf = ({ id, name, createdAt }: ModelFragment, workspaceId: string) => ({
  id,
  object: 'model',
  created: secondsOf(createdAt),
  owned_by: workspaceId,
  name,
});

type ToolCall = { id: string; name: string; arguments: object };

/** A turn as a chat completion. Its content is empty if a person has taken over the conversation. */
export function completionOf({ conversation, messages }: CompletionFragment, model: string) {
  const reply = messages?.findLast(({ role }) => role === 'assistant');
  const calls = (reply?.toolCalls ?? []) as ToolCall[];
  const { finishReason } = (reply?.metadata ?? {}) as { finishReason?: string };
  const message = {
    role: 'assistant',
    content: calls.length > 0 ? null : (reply?.content ?? ''),
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
  return {
    id: reply?.id ?? conversation?.id,
    object: 'chat.completion',
    created: reply ? secondsOf(reply.createdAt) : secondsOf(new Date()),
    model,
    choices: [
      { index: 0, message, logprobs: null, finish_reason: calls.length > 0 ? 'tool_calls' : finishOf(finishReason) },
    ],
    usage: usageOf(messages ?? []),
  };
}

/** An event of a streamed turn: a part of the AI SDK's UI-message stream and, at the end, the turn. */
export type TurnEvent = { part: unknown; turn?: CompletionFragment | null | undefined };
type Part = { type: string; [key: string]: unknown };

/** Writes the events of a turn as chunks of a chat completion. */
export function createChunks(model: string, includeUsage: boolean): (event: TurnEvent) => object[] {
  const created = secondsOf(new Date());
  let id = '';
  let calls = 0;
  const chunk = (choices: object[], usage: object | null = null) => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices,
    ...(includeUsage && { usage }),
  });
  const delta = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  return ({ part, turn }) => {
    const { type, ...given } = part as Part;
    if (type === 'start') {
      id = String(given.messageId);
      return [delta({ role: 'assistant', content: '', refusal: null })];
    }
    if (type === 'text-delta') return [delta({ content: given.delta })];
    if (type === 'tool-input-available' && !given.providerExecuted) {
      const { toolCallId, toolName, input } = given as { toolCallId: string; toolName: string; input: object };
      const call = callOf({ id: toolCallId, name: toolName, arguments: input });
      return [delta({ tool_calls: [{ index: calls++, ...call }] })];
    }
    if (type === 'finish') return [delta({}, finishOf(given.finishReason as string))];
    if (type === 'error') return [errorBodyOf(errorOf(given as unknown as ErrorBody))];
    return turn && includeUsage ? [chunk([], usageOf(turn.messages ?? []))] : [];
  };
}

const errorOf = ({ code, message, issues }: ErrorBody) => ({ code, message, issues, status: statusOf[code] });

/** The last event of a stream that breaks off. */
export function failureEvent(error: unknown): object {
  const known = error instanceof ParleyError;
  return errorBodyOf(known ? error : internalError());
}

const callOf = ({ id, name, arguments: given }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
});

const finishes: Record<string, string> = {
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};
const finishOf = (reason = ''): string => finishes[reason] ?? 'stop';

/** The tokens of all messages of a turn: the agent's plugins may have been called in between. */
function usageOf(messages: NonNullable<CompletionFragment['messages']>) {
  const sum = (count: (usage: Tokens) => number | null | undefined) =>
    messages.reduce((total, { usage }) => total + (count(usage ?? {}) ?? 0), 0);
  const prompt_tokens = sum(({ promptTokens }) => promptTokens);
  const completion_tokens = sum(({ completionTokens }) => completionTokens);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: sum(({ cachedTokens }) => cachedTokens) },
  };
}
type Tokens = Partial<Record<'promptTokens' | 'completionTokens' | 'cachedTokens', number | null>>;

const secondsOf = (time: string | Date): number => Math.floor(new Date(time).getTime() / 1_000);

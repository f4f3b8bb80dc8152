import { isObject } from '../../core/json.ts';
import type { ToolCall } from '../conversations/access.ts';
import type { Part, TurnEvent, TurnResult } from './types.ts';

export const textId = '0';
/** The start of a stream. The step lets chat UIs tell this reply's tool calls from those of the reply before. */
export const startOf = (messageId: string, conversationId: string): Part[] => [
  { type: 'start', messageId, messageMetadata: { conversationId } },
  { type: 'start-step' },
];

type ReplyContent = { content?: string | null; toolCalls?: ToolCall[] | null; metadata?: object };

/**
 * The end of a stream, once the reply, if any, is stored. `textStarted`: some of its text has already been streamed.
 */
export function endOf(result: TurnResult, reply: ReplyContent | null, textStarted: boolean): Part[] {
  const text = !textStarted && reply?.content ? textOf(reply.content) : [];
  const calls = (reply?.toolCalls ?? []).map(({ id, name, arguments: input }) => {
    return { type: 'tool-input-available', toolCallId: id, toolName: name, input };
  });
  return [
    ...(textStarted ? [{ type: 'text-end', id: textId }] : text),
    ...calls,
    { type: 'finish', finishReason: finishOf(reply, calls.length > 0), messageMetadata: reply?.metadata ?? {} },
    { type: 'data-turn', data: result },
  ];
}

/** The finish reason as the AI SDK's chats know it; `stop` for a reply that no model generated. */
function finishOf(reply: ReplyContent | null, called: boolean): string {
  const { finishReason } = (reply?.metadata ?? {}) as { finishReason?: string };
  if (called) return 'tool-calls';
  return finishReason && finishReason !== 'stopped' ? finishReason : 'stop';
}

const textOf = (delta: string): Part[] => [
  { type: 'text-start', id: textId },
  { type: 'text-delta', id: textId, delta },
  { type: 'text-end', id: textId },
];

/** A part of a stream as an event. The result travels beside it: it refers to rows that are loaded for each reader. */
export function eventOf(streamId: string, position: number, part: Part): TurnEvent {
  const result = part.type === 'data-turn' ? (part.data as TurnResult) : null;
  return { id: `${streamId}.${position}`, position, part, result };
}

/** The keys of parts and of what is in them, in the order in which a running turn sends them. */
const keys =
  `type messageId id toolCallId toolName input output delta model finishReason providerExecuted messageMetadata
  errorText message code issues data conversationId messageIds references stopped passageId sourceId baseId quote title
  url place`.split(/\s+/);
const ranks = new Map(keys.map((key, rank) => [key, rank]));
const rankOf = ([key]: [string, unknown]) => ranks.get(key) ?? keys.length;
/** Theirs are the order of a model, or of the database. */
const foreign = new Set(['input', 'output', 'place']);

/** A stored part as it was sent: the database keeps no order of keys. */
export function asSent<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(asSent) as Value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted((a, b) => rankOf(a) - rankOf(b));
  return Object.fromEntries(entries.map(([key, own]) => [key, foreign.has(key) ? own : asSent(own)])) as Value;
}

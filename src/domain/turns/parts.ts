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

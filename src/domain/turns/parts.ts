import type { ToolCall } from './store.ts';
import type { Part, TurnEvent, TurnResult } from './types.ts';

export const textId = '0';
/** What begins a stream. Chats tell by the step which calls of tools are of this reply, and not of the one before it. */
export const startOf = (messageId: string, conversationId: string): Part[] => [
  { type: 'start', messageId, messageMetadata: { conversationId } },
  { type: 'start-step' },
];

type ReplyContent = { content?: string | null; toolCalls?: ToolCall[] | null; metadata?: object };

/** What ends a stream once the reply, if there is one, is stored. `begun`: some of its text was told already. */
export function endOf(result: TurnResult, said: ReplyContent | null, begun: boolean): Part[] {
  const whole = !begun && said?.content ? textOf(said.content) : [];
  const calls = (said?.toolCalls ?? []).map(({ id, name, arguments: input }) => {
    return { type: 'tool-input-available', toolCallId: id, toolName: name, input };
  });
  return [
    ...(begun ? [{ type: 'text-end', id: textId }] : whole),
    ...calls,
    { type: 'finish', finishReason: finishOf(said, calls.length > 0), messageMetadata: said?.metadata ?? {} },
    { type: 'data-turn', data: result },
  ];
}

/** Why the reply ended, as the AI SDK's chats know it; what no model said has ended by itself. */
function finishOf(said: ReplyContent | null, called: boolean): string {
  const { finishReason } = (said?.metadata ?? {}) as { finishReason?: string };
  if (called) return 'tool-calls';
  return finishReason && finishReason !== 'stopped' ? finishReason : 'stop';
}

const textOf = (delta: string): Part[] => [
  { type: 'text-start', id: textId },
  { type: 'text-delta', id: textId, delta },
  { type: 'text-end', id: textId },
];

/** A part of a stream as an event. The result of the turn travels beside it, since each reader is shown its rows. */
export function eventOf(streamId: string, position: number, part: Part): TurnEvent {
  const result = part.type === 'data-turn' ? (part.data as TurnResult) : null;
  return { id: `${streamId}.${position}`, position, part, result };
}

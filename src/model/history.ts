import { withoutMarks } from './references.ts';
import { estimateTokens, firstTokens } from './text.ts';
import type { HistoryMessage, ModelAttachment, ToolCall } from './types.ts';

/** A message as the model is given it: tool calls and results come in complete pairs. */
export type ChatMessage =
  | { role: 'user'; content: string; attachments: ModelAttachment[] }
  | { role: 'assistant'; content: string | null; toolCalls: ToolCall[] }
  | { role: 'tool'; toolCallId: string; name: string; content: string };

/** What stands for the result of a call that nobody answered. */
export const notExecuted = 'not executed';

/** The messages that are sent, how many tokens they have, and how many older ones are left out. */
export type Recent = { messages: ChatMessage[]; tokens: number; omitted: number };

/**
 * The recent messages of a history within `history` tokens. The turn at hand, from the last thing the person said, is
 * always whole; results of tools are cut to `toolResult` tokens. System messages belong to the system prompt.
 */
export function recentMessages(history: HistoryMessage[], limit: { history: number; toolResult: number }): Recent {
  const groups = groupsOf(repairToolPairs(history, limit.toolResult));
  const turn = Math.max(
    0,
    groups.findLastIndex(([first]) => first?.role === 'user'),
  );
  let left = limit.history;
  let start = groups.length;
  while (start > 0) {
    const size = sizeOf(groups[start - 1] ?? []);
    if (left < size && start <= turn) break;
    left -= size;
    start--;
  }
  return {
    messages: groups.slice(start).flat(),
    tokens: limit.history - left,
    omitted: groups.slice(0, start).flat().length,
  };
}

/**
 * Makes tool calls and their results pairs: results follow their calls at once, a call without one is closed as
 * "not executed", a result without its call is dropped. An empty message of a person becomes "…", of the agent nothing.
 */
export function repairToolPairs(history: HistoryMessage[], toolResult = Number.POSITIVE_INFINITY): ChatMessage[] {
  return history.flatMap((message, index): ChatMessage[] => {
    const content = message.content?.trim() ? message.content : null;
    if (message.role === 'user') {
      const attachments = message.attachments ?? [];
      return [{ role: 'user', content: content ?? (attachments.length > 0 ? '' : '…'), attachments }];
    }
    if (message.role !== 'assistant') return [];
    const toolCalls = message.toolCalls ?? [];
    if (!content && toolCalls.length === 0) return [];
    const results = resultsAfter(history, index);
    const closed = toolCalls.map(({ id, name }): ChatMessage => {
      const result = results.get(id);
      const text = result === undefined ? notExecuted : firstTokens(result ?? '', toolResult);
      return { role: 'tool', toolCallId: id, name, content: text };
    });
    return [{ role: 'assistant', content: content && withoutMarks(content), toolCalls }, ...closed];
  });
}

/** The results given between a message and the next one of the agent, since some models use an id again. */
function resultsAfter(history: HistoryMessage[], index: number): Map<string, string | null> {
  const results = new Map<string, string | null>();
  for (const { role, toolCallId, content, toolCalls } of history.slice(index + 1)) {
    if (role === 'assistant' && toolCalls?.length) break;
    if (role === 'tool' && toolCallId && !results.has(toolCallId)) results.set(toolCallId, content);
  }
  return results;
}

/** Messages that stand or fall together: a call with its results, or one message. */
function groupsOf(messages: ChatMessage[]): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool') groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** What a message costs besides its text. */
const frame = 4;

const sizeOf = (group: ChatMessage[]): number =>
  group.reduce((sum, message) => {
    const calls = message.role === 'assistant' && message.toolCalls.length > 0 ? JSON.stringify(message.toolCalls) : '';
    return sum + frame + estimateTokens(message.content ?? '') + estimateTokens(calls);
  }, 0);

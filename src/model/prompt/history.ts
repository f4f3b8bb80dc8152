import { withoutMarks } from '../reply/references.ts';
import { estimateTokens, fenceOff, firstTokens, lastTokens } from '../reply/text.ts';
import type { HistoryMessage, ModelAttachment, ToolCall } from '../types.ts';

/** A message for the model: tool calls and results come in complete pairs. */
export type ChatMessage =
  | { role: 'user'; content: string; attachments: ModelAttachment[] }
  | { role: 'assistant'; content: string | null; toolCalls: ToolCall[] }
  | { role: 'tool'; toolCallId: string; name: string; content: string };

/** Stands in for the result of a call that has none. */
export const notExecuted = 'not executed';

/** The prefix of a failed tool's result. */
export const noResult = 'The tool gave no result:';

/** The messages to send, their size in tokens, and the older ones left out. */
type RecentHistory = { messages: ChatMessage[]; tokens: number; dropped: ChatMessage[] };

/** In tokens: `turn` for the current turn, `history` for it and everything before, `toolResult` for each result. */
export type HistoryLimit = { history: number; turn: number; toolResult: number };

/**
 * Selects the recent messages of a history: the current turn, from the person's last message, within `turn` tokens, and
 * the messages before it as far as everything fits `history`. System messages belong to the system prompt.
 */
export function recentMessages(history: HistoryMessage[], limit: HistoryLimit): RecentHistory {
  const groups = groupsOf(repairToolPairs(history, limit.toolResult, limit.history * maxFileShare));
  const at = Math.max(
    0,
    groups.findLastIndex(([first]) => first?.role === 'user'),
  );
  const turn = fitTurn(groups.slice(at), limit.turn);
  let tokens = turn.kept.reduce((sum, group) => sum + sizeOf(group), 0);
  let start = at;
  for (; start > 0; start--) {
    const size = sizeOf(groups[start - 1] ?? []);
    if (tokens + size > limit.history) break;
    tokens += size;
  }
  return {
    messages: [...groups.slice(start, at), ...turn.kept].flat(),
    tokens,
    dropped: [...groups.slice(0, start), ...turn.dropped].flat(),
  };
}

/** The share of a turn reserved for the last tool calls, if they need it. */
const maxStepShare = 0.5;

/**
 * Fits a turn into its tokens: a long message loses its middle, and the oldest tool calls are dropped, but never the
 * last.
 */
function fitTurn(
  [first = [], ...steps]: ChatMessage[][],
  tokens: number,
): { kept: ChatMessage[][]; dropped: ChatMessage[][] } {
  const last = Math.min(sizeOf(steps.at(-1) ?? []), tokens * maxStepShare);
  const question = first.map((message) => shorten(message, tokens - last));
  let remaining = tokens - sizeOf(question);
  let start = steps.length;
  for (; start > 0; start--) {
    remaining -= sizeOf(steps[start - 1] ?? []);
    if (remaining < 0 && start < steps.length) break;
  }
  return { kept: [question, ...steps.slice(start)].filter(({ length }) => length > 0), dropped: steps.slice(0, start) };
}

const omissionNote = '\n[… the middle is left out, as the message is too long …]\n';

/** People ask before or after the text that they paste, so its middle is missed least. */
function shorten(message: ChatMessage, tokens: number): ChatMessage {
  const excess = sizeOf([message]) - Math.floor(tokens);
  if (message.role !== 'user' || excess <= 0) return message;
  const half = Math.max(50, Math.floor((estimateTokens(message.content) - excess - estimateTokens(omissionNote)) / 2));
  return {
    ...message,
    content: `${firstTokens(message.content, half)}${omissionNote}${lastTokens(message.content, half)}`,
  };
}

/**
 * Pairs tool calls with their results: results directly follow their calls, a call without one is closed as "not
 * executed", and a result without its call is dropped. An empty message becomes "…" from a person, and is dropped from
 * the agent. Text read from attached files is included, up to `files` tokens per message.
 */
export function repairToolPairs(
  history: HistoryMessage[],
  toolResult = Number.POSITIVE_INFINITY,
  files = Number.POSITIVE_INFINITY,
): ChatMessage[] {
  return history.flatMap((message, index): ChatMessage[] => {
    const content = message.content?.trim() ? message.content : null;
    if (message.role === 'user') {
      const attachments = message.attachments ?? [];
      const text = [content, ...fileText(attachments, files)].filter(Boolean).join('\n\n');
      return [{ role: 'user', content: text || (attachments.length > 0 ? '' : '…'), attachments }];
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

/** The results up to the agent's next tool calls, since some models reuse ids. */
function resultsAfter(history: HistoryMessage[], index: number): Map<string, string | null> {
  const results = new Map<string, string | null>();
  for (const { role, toolCallId, content, toolCalls } of history.slice(index + 1)) {
    if (role === 'assistant' && toolCalls?.length) break;
    if (role === 'tool' && toolCallId && !results.has(toolCallId)) results.set(toolCallId, content);
  }
  return results;
}

/** Groups messages that are kept or dropped together: a call with its results, or a single message. */
function groupsOf(messages: ChatMessage[]): ChatMessage[][] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool') groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** The overhead of a message in tokens, and the approximate cost of an image or a recording. */
const frame = 4;
const mediaTokens = 1_000;
/** The share of the history that the files of one message may take. */
const maxFileShare = 0.5;

const sizeOf = (group: ChatMessage[]): number =>
  group.reduce((sum, message) => {
    const calls = message.role === 'assistant' && message.toolCalls.length > 0 ? JSON.stringify(message.toolCalls) : '';
    const media = message.role === 'user' ? message.attachments.filter(({ data }) => data).length * mediaTokens : 0;
    return sum + frame + estimateTokens(message.content ?? '') + estimateTokens(calls) + media;
  }, 0);

/**
 * The text read from files, each with its name, within `tokens` in total. It is fenced off as material, not
 * instructions.
 */
function fileText(attachments: ModelAttachment[], tokens: number): string[] {
  const read = attachments.filter(({ text }) => text);
  return read.map(({ name, text }) => {
    const shown = firstTokens(text ?? '', tokens / read.length);
    const rest = shown.length < (text ?? '').length ? '\n[the rest of the file is left out]' : '';
    const called = JSON.stringify(fenceOff(name ?? '', 'file'));
    return `<file name=${called}>\n${fenceOff(shown, 'file')}${rest}\n</file>`;
  });
}

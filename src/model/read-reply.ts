import type { Generated } from './ask.ts';
import { unusableAnswer } from './failures.ts';
import { wireName } from './messages.ts';
import { citeReferences } from './references.ts';
import type { JsonValue, Reply, ReplyRequest, TokenUsage, ToolCall, ToolDefinition } from './types.ts';

/** What one call of the model came to. */
export type Said = Pick<Reply, 'content' | 'toolCalls' | 'references' | 'finish'>;

/** What was generated as a reply: calls that can be answered, or words with checked citations. Throws 502. */
export function readReply(request: ReplyRequest, { text, toolCalls, finishReason }: Generated): Said {
  const finish = finishes[finishReason] ?? 'other';
  const calls = request.toolChoice === 'none' ? [] : readCalls(request.tools, toolCalls);
  if (calls.length > 0) return { content: null, toolCalls: calls, references: [], finish };
  const said = request.format === 'json' ? readJson(text) : text.trim();
  if (!said && toolCalls.length > 0)
    throw unusableAnswer('The model called a tool in a way that cannot be read.', 'bad call');
  if (!said) throw unusableAnswer('The model gave an empty answer. Ask again.', `empty, finish: ${finishReason}`);
  return { ...cite(request, said), toolCalls: null, finish };
}

/** Words of a reply with their citations checked and numbered. */
export const cite = ({ passages, format, agent }: ReplyRequest, content: string) =>
  citeReferences({ content, passages, format, enabled: agent.references });

export const usageOf = ({ usage }: Generated): TokenUsage => ({
  promptTokens: usage.inputTokens ?? 0,
  completionTokens: usage.outputTokens ?? 0,
  cachedTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
});

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

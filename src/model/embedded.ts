import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { readPrompt } from './embedded/read-prompt.ts';
import { type Answer, respond } from './embedded/respond.ts';
import { writeAnswer } from './embedded/write-answer.ts';
import { estimateTokens } from './reply/text.ts';
import type { ReplyRequest } from './types.ts';

type Part = { type: 'text'; text: string } | { type: 'tool-call'; toolCallId: string; toolName: string; input: string };

/**
 * The built-in model, which needs no API key and no network: it quotes the request's passages, calls tools that are
 * plainly asked for, and says what it is. Deterministic. It is given the request besides the prompt, since it reads the
 * passages as data.
 */
export function embeddedModel(request: ReplyRequest): LanguageModelV4 {
  const answer = (options: LanguageModelV4CallOptions) => {
    options.abortSignal?.throwIfAborted();
    const offered = options.toolChoice?.type === 'none' ? { ...request, tools: [] } : request;
    const content = partsOf(respond(offered, readPrompt(options.prompt)), request, options.prompt.length);
    const called = content.some(({ type }) => type === 'tool-call');
    const finishReason = { unified: called ? ('tool-calls' as const) : ('stop' as const), raw: undefined };
    return { content, finishReason, usage: usageOf(options.prompt, content), warnings: [] };
  };
  return {
    specificationVersion: 'v4',
    provider: 'parley',
    modelId: 'embedded',
    supportedUrls: {},
    doGenerate: async (options) => answer(options),
    doStream: async (options) => {
      const { content, ...end } = answer(options);
      const parts = [{ type: 'stream-start' as const, warnings: [] }, ...content.flatMap(streamed)];
      const { finishReason, usage } = end;
      return { stream: streamOf([...parts, { type: 'finish', finishReason, usage }]) };
    },
  };
}

/** `turn` keeps the ids of calls unique within a conversation. */
function partsOf(answer: Answer, { format }: ReplyRequest, turn: number): Part[] {
  if (!answer.calls) return [{ type: 'text', text: writeAnswer(answer.lines, format) }];
  return answer.calls.map(({ name, arguments: input }, index) => ({
    type: 'tool-call',
    toolCallId: `call_${turn}_${index}`,
    toolName: name,
    input: JSON.stringify(input),
  }));
}

function streamed(part: Part, index: number): LanguageModelV4StreamPart[] {
  const id = String(index);
  if (part.type === 'tool-call') {
    const { toolCallId, toolName, input } = part;
    return [
      { type: 'tool-input-start', id: toolCallId, toolName },
      { type: 'tool-input-delta', id: toolCallId, delta: input },
      { type: 'tool-input-end', id: toolCallId },
      part,
    ];
  }
  const words = part.text.match(/\s*\S+|\s+$/g) ?? [];
  const deltas = words.map((delta) => ({ type: 'text-delta' as const, id, delta }));
  return [{ type: 'text-start', id }, ...deltas, { type: 'text-end', id }];
}

const streamOf = (parts: LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

function usageOf(prompt: LanguageModelV4CallOptions['prompt'], content: Part[]) {
  const promptTokens = estimateTokens(prompt.map(({ content }) => JSON.stringify(content)).join(''));
  const completionTokens = estimateTokens(
    content.map((part) => (part.type === 'text' ? part.text : part.input)).join(''),
  );
  return {
    inputTokens: { total: promptTokens, noCache: promptTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: completionTokens, text: completionTokens, reasoning: 0 },
  };
}

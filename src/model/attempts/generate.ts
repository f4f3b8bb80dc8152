import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { parsedJson } from '../../core/json.ts';
import { endedEarly, type ReplyPart, type Usage } from '../providers/reply-part.ts';
import type { TokenUsage } from '../types.ts';
import { recordGeneration } from './attempt-span.ts';

/** The output of one model call, streamed or not. */
export type Generated = {
  text: string;
  toolCalls: { toolCallId: string; toolName: string; input: unknown }[];
  finishReason: string;
  /** In the provider's own words. */
  rawFinishReason?: string | undefined;
  usage: Usage;
};

/** Calls a model once and returns its complete output. Rejects with the SDK's error. */
export async function generate(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Generated> {
  const { content, ...end } = await model.doGenerate(options);
  const generated = {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls: content.flatMap((part) => (part.type === 'tool-call' ? [callOf(part)] : [])),
    ...endOf(end),
  };
  recordGeneration(generated);
  return generated;
}

/** Calls a model once; yields what its reply consists of, failures among it. Ends where the signal stops it. */
export async function* generateParts(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<ReplyPart, void> {
  let isWhole = false;
  try {
    const { stream } = await model.doStream(options);
    for await (const part of stream) {
      const read = partOf(part);
      if (read?.type === 'finish') isWhole = true;
      if (read) yield read;
    }
  } catch (error) {
    if (!options.abortSignal?.aborted) yield { type: 'error', error };
    return;
  }
  if (!isWhole) yield { type: 'error', error: endedEarly() };
}

function partOf(part: LanguageModelV4StreamPart): ReplyPart | null {
  if (part.type === 'text-delta') return { type: 'text-delta', text: part.delta };
  if (part.type === 'tool-input-start') return { type: 'tool-input-start' };
  if (part.type === 'tool-call') return { type: 'tool-call', ...callOf(part) };
  if (part.type === 'finish') return { type: 'finish', ...endOf(part) };
  return part.type === 'error' ? part : null;
}

type End = Pick<Extract<LanguageModelV4StreamPart, { type: 'finish' }>, 'finishReason' | 'usage'>;

const endOf = ({ finishReason: { unified, raw }, usage: { inputTokens, outputTokens, raw: reported } }: End) => ({
  finishReason: unified,
  rawFinishReason: raw,
  usage: {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    inputTokenDetails: { cacheReadTokens: inputTokens.cacheRead },
    raw: reported,
  },
});

type Call = Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>;

/** Arguments that are no JSON stay text: the model may be told, and mend them. */
const callOf = ({ toolCallId, toolName, input }: Call) => ({
  toolCallId,
  toolName,
  input: parsedJson(input) ?? input,
});

/** The tokens of a call, as far as the provider counted them. */
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

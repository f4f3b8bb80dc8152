import { currentSpan, type SpanDescription } from '../../core/tracing.ts';

/** What a model is called for, by the names of OpenTelemetry's conventions for generative AI. */
export type ModelOperation = 'chat' | 'embeddings' | 'rerank';

type Target = { name: string; provider: string; model?: string };

/** Providers whose name differs in the conventions. */
const providerNames: Record<string, string> = { google: 'gcp.gemini' };

/** Describes the span of one attempt at a model. */
export function describeAttempt({ name, provider, model = name }: Target, operation: ModelOperation): SpanDescription {
  return {
    name: `${operation} ${model}`,
    kind: provider === 'embedded' ? 'internal' : 'client',
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': providerNames[provider] ?? provider,
      'gen_ai.request.model': model,
      'parley.model': name,
    },
  };
}

type Generated = {
  finishReason: string;
  usage: {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    inputTokenDetails: { cacheReadTokens?: number | undefined };
  };
};

/** Adds the tokens and the reason for the end to the span of the current attempt. */
export function recordGeneration({ finishReason, usage }: Generated): void {
  currentSpan()?.set({
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.inputTokenDetails.cacheReadTokens,
    'gen_ai.response.finish_reasons': [finishReason],
  });
}

import type { ModelsConfig } from '../config/models.ts';
import type { Extraction, ExtractRequest } from './capture/extract.ts';
import { createModels, type Models } from './models.ts';
import type { ModelLog, Reply, ReplyRequest, Summary, SummaryRequest } from './types.ts';

export type { WantedField } from './capture/capture-fields.ts';
export type { Extraction } from './capture/extract.ts';
export type { ModelChoice } from './models.ts';
export type * from './types.ts';

export type ModelService = Pick<Models, 'choices' | 'check' | 'reads'> & {
  /**
   * The agent's next words, or its calls of the caller's tools. Nothing is stored, and nothing but the model's endpoint
   * is asked, by the request's tools apart. Throws 502 `model_error`, 504 `model_timeout`, and 503 `unavailable` when
   * `request.signal` stopped it or the agent's models cannot be asked.
   */
  reply(request: ReplyRequest): Promise<Reply>;
  /**
   * The same, and `onText` is told each piece of the reply's content as the model writes it; the pieces together are the
   * content of its steps and its own, unless calls follow them. A reply that `request.signal` stopped is what was said so
   * far. Throws 502, 503 and 504.
   */
  stream(request: ReplyRequest, onText: (piece: string) => void): Promise<Reply>;
  /** The older part of a conversation in short; null while all of it is recent. Throws what `reply` throws. */
  summarize(request: SummaryRequest): Promise<Summary | null>;
  /** Values of fields in what a visitor said. Never rejects: it tells what went wrong. */
  extract(request: ExtractRequest): Promise<Extraction>;
};

type Options = {
  models: ModelsConfig;
  /** For a whole reply, tries included. */
  timeoutMs: number;
  /** How often a call that failed for a passing reason is tried again, while nothing of its answer has come. */
  retries?: number;
  /** The wait before the first of these tries, in milliseconds, where the endpoint asks for none; doubled each time. */
  backoffMs?: number;
  /** How much of a conversation is sent to a model, in tokens by estimate. */
  historyTokens?: number;
  /** Hears why a model failed, where the request has no log of its own. */
  log?: ModelLog;
};

/** The models that agents speak with: those of the configuration, and the embedded one. */
export function createModelService({ models: config, ...given }: Options): ModelService {
  const models = createModels(config);
  const options = { retries: 2, backoffMs: 500, historyTokens: 6_000, ...given, models };
  return {
    choices: models.choices,
    check: models.check,
    reads: models.reads,
    async reply(request) {
      // The SDK takes a quarter of a second to load: the first reply pays it, not the start.
      const { converse } = await import('./reply/converse.ts');
      return converse(options, request, null);
    },
    async stream(request, onText) {
      const { converse } = await import('./reply/converse.ts');
      return converse(options, request, onText);
    },
    async summarize(request) {
      const { summarize } = await import('./prompt/summarize.ts');
      return summarize(options, request);
    },
    async extract(request) {
      const { extract } = await import('./capture/extract.ts');
      return extract(options, request);
    },
  };
}

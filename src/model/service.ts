import type { ModelSettings, ModelsConfig } from '../config/models.ts';
import { candidateOf, createModels, type Models } from './models.ts';
import type { Extraction, ExtractRequest } from './tasks/extract.ts';
import type { ModelLog, Reply, ReplyRequest, Summary, SummaryRequest } from './types.ts';

export type { WantedField } from './capture/capture-fields.ts';
export type { Extraction } from './tasks/extract.ts';
export type * from './types.ts';

export type ModelService = Pick<Models, 'choices' | 'check' | 'reads'> & {
  /**
   * Returns the agent's next message, or calls of the caller's tools. Stores nothing, and contacts nothing but the
   * model's endpoint, apart from what the request's tools do. Throws 502 `model_error`, 504 `model_timeout`, and 503
   * `unavailable` if `request.signal` stopped it or the agent's models cannot be called.
   */
  reply(request: ReplyRequest): Promise<Reply>;
  /**
   * Like `reply`, but calls `onText` with each piece of content as the model writes it; together, the pieces are the
   * content of the reply's steps and its own, unless tool calls follow. If `request.signal` stops it, resolves with the
   * reply so far. Throws 502, 503 or 504.
   */
  stream(request: ReplyRequest, onText: (piece: string) => void): Promise<Reply>;
  /** Summarises the older part of a conversation; null while all of it is recent. Throws the errors of `reply`. */
  summarize(request: SummaryRequest): Promise<Summary | null>;
  /** Extracts field values from what a visitor said. Never rejects: the result holds the error. */
  extract(request: ExtractRequest): Promise<Extraction>;
};

type Options = {
  models: ModelsConfig;
  /** The model that judges what replies of restricted agents state; without it, rules alone do. */
  verifier?: ModelSettings | null;
  /** For a whole reply, retries included. */
  timeoutMs: number;
  /** How often a transient failure is retried, as long as no output has arrived. */
  retries?: number;
  /** The delay before the first retry in milliseconds, unless the endpoint asks for one; it doubles with each retry. */
  backoffMs?: number;
  /** How much of a conversation is sent to a model, in estimated tokens. */
  historyTokens?: number;
  /** Receives the reasons of failures, unless the request has a log of its own. */
  log?: ModelLog;
};

/** Creates the service for the configured models and the embedded one. */
export function createModelService({ models: config, verifier, ...given }: Options): ModelService {
  const models = createModels(config);
  const options = {
    retries: 2,
    backoffMs: 500,
    historyTokens: 6_000,
    ...given,
    models,
    verifier: verifier ? candidateOf(verifier) : null,
  };
  return {
    choices: models.choices,
    check: models.check,
    reads: models.reads,
    async reply(request) {
      // The SDK takes a quarter of a second to load: the first reply pays for that, not startup.
      const { converse } = await import('./tasks/converse.ts');
      return converse(options, request, null);
    },
    async stream(request, onText) {
      const { converse } = await import('./tasks/converse.ts');
      return converse(options, request, onText);
    },
    async summarize(request) {
      const { summarize } = await import('./tasks/summarize.ts');
      return summarize(options, request);
    },
    async extract(request) {
      const { extract } = await import('./tasks/extract.ts');
      return extract(options, request);
    },
  };
}

import type { Config } from '../config.ts';
import type { Reply, ReplyRequest } from './types.ts';

export type * from './types.ts';

export type ModelService = {
  /** What answers, for people and logs: `embedded`, or the name of the model. */
  name: string;
  embedded: boolean;
  /**
   * The agent's next words, or its calls of the caller's tools. Nothing is stored and nothing but the model's endpoint
   * is asked. Throws 502 `model_error`, 504 `model_timeout`, and 503 `unavailable` when `request.signal` stopped it.
   */
  reply(request: ReplyRequest): Promise<Reply>;
};

type Options = {
  model: Config['model'];
  /** For a whole reply, tries included. */
  timeoutMs: number;
  /** How often a refused or failed call is tried again, after the wait that the endpoint asks for or 2 seconds. */
  retries?: number;
};

/** The model that agents speak with: an OpenAI-compatible endpoint, or without one the embedded model. */
export function createModelService({ model, timeoutMs, retries = 1 }: Options): ModelService {
  const name = model?.name ?? 'embedded';
  return {
    name,
    embedded: !model,
    async reply(request) {
      // The SDK takes a quarter of a second to load: the first reply pays it, not the start.
      const { askModel } = await import('./ask.ts');
      const asked = { media: false, secret: model?.apiKey ?? null, timeoutMs, retries };
      if (model) {
        const { openAiCompatible } = await import('./openai-compatible.ts');
        return askModel({ ...asked, model: openAiCompatible(model), media: true }, request);
      }
      const { embeddedModel } = await import('./embedded.ts');
      return askModel({ ...asked, model: embeddedModel(request) }, request);
    },
  };
}

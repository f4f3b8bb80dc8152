import type { Config } from '../config.ts';
import type { Asked } from './ask.ts';
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
  /**
   * The same, and `onText` is told each piece of the reply's content as the model writes it; the pieces together are the
   * content, unless calls follow them. A reply that `request.signal` stopped is what was said so far. Throws 502, 504.
   */
  stream(request: ReplyRequest, onText: (piece: string) => void): Promise<Reply>;
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
  const common = { secret: model?.apiKey ?? null, timeoutMs, retries };
  const askedBy = async (request: ReplyRequest): Promise<Asked> => {
    if (model) {
      const { openAiCompatible } = await import('./openai-compatible.ts');
      return { ...common, model: openAiCompatible(model), media: true };
    }
    const { embeddedModel } = await import('./embedded.ts');
    return { ...common, model: embeddedModel(request), media: false };
  };
  return {
    name,
    embedded: !model,
    async reply(request) {
      // The SDK takes a quarter of a second to load: the first reply pays it, not the start.
      const { askModel } = await import('./ask.ts');
      return askModel(await askedBy(request), request);
    },
    async stream(request, onText) {
      const { streamModel } = await import('./stream.ts');
      return streamModel(await askedBy(request), request, onText);
    },
  };
}

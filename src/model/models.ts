import type { LanguageModelV4 } from '@ai-sdk/provider';
import { embeddedName, type ModelSettings, type ModelsConfig } from '../config/models.ts';
import { invalid, ParleyError } from '../core/errors.ts';
import { lazy } from '../core/lazy.ts';
import { createBreaker } from './breaker.ts';
import { acceptsMedia } from './prompt/media.ts';
import type { Candidate, ModelAgent } from './types.ts';

export type Models = {
  /** The default first. */
  choices: Candidate[];
  /**
   * The models to try for an agent, in order. Throws 503 `unavailable` if none of its models is configured any more.
   */
  candidatesOf(agent: Pick<ModelAgent, 'model' | 'fallbackModel'>): Candidate[];
  /**
   * Whether one of the agent's models accepts a media type; true if none of them is configured, as nothing is known
   * then.
   */
  reads(agent: Pick<ModelAgent, 'model' | 'fallbackModel'>, mediaType: string): boolean;
  /** Throws 400 `invalid_request`, listing the available models. */
  check(field: string, name: string): void;
};

/** Creates the configured models and the embedded one. */
export function createModels(config: ModelsConfig): Models {
  const all = [...config.list.map(candidateOf), embedded()].map((model) => ({
    ...model,
    isDefault: model.name === config.default,
  }));
  const choices = all.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
  const byName = new Map(choices.map((choice) => [choice.name, choice]));
  const known = choices.map(({ name }) => name).join(', ');
  const chosenBy = ({ model, fallbackModel }: Pick<ModelAgent, 'model' | 'fallbackModel'>) => {
    const named = [model ?? config.default, fallbackModel].filter((name) => name != null);
    return [...new Set(named)].flatMap((name) => byName.get(name) ?? []);
  };
  return {
    choices,
    reads(agent, mediaType) {
      const found = chosenBy(agent);
      return found.length === 0 || found.some(({ reads }) => reads(mediaType));
    },
    candidatesOf(agent) {
      const found = chosenBy(agent);
      if (found.length > 0) return found;
      // Falling back to another model could send the conversation to another company.
      throw new ParleyError('unavailable', `The model of the agent is no longer configured. Choose one of: ${known}.`);
    },
    check(field, name) {
      if (!byName.has(name)) throw invalid(`${field}: no model has this name. Available models: ${known}.`);
    },
  };
}

type UnrankedCandidate = Omit<Candidate, 'isDefault'>;

/** A configured model and how to call it. */
export function candidateOf(settings: ModelSettings): UnrankedCandidate {
  const { name, provider, model, contextTokens, price, images, audio } = settings;
  const details = { name, provider, model, contextTokens, price, images, audio };
  const load = lazy(() => loaders[provider](settings));
  return { ...details, reads: acceptsMedia(settings), secret: settings.apiKey, breaker: createBreaker(), load };
}

const loaders: Record<ModelSettings['provider'], (settings: ModelSettings) => Promise<LanguageModelV4>> = {
  openai: async (settings) => (await import('./providers/openai.ts')).openAiModel(settings),
  anthropic: async (settings) => (await import('./providers/anthropic.ts')).anthropicModel(settings),
  google: async (settings) => (await import('./providers/google.ts')).googleModel(settings),
};

const embedded = (): UnrankedCandidate => ({
  name: embeddedName,
  provider: 'embedded',
  model: embeddedName,
  contextTokens: null,
  price: null,
  images: false,
  audio: false,
  reads: () => false,
  secret: null,
  breaker: createBreaker(),
  load: async (request) => (await import('./embedded.ts')).embeddedModel(request),
});

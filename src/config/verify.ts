import type { ModelSettings, ModelsConfig } from './models.ts';

/** Reads `VERIFY_MODEL`, the name of a configured model. Null if it is not set, or a string that says what is wrong. */
export function readVerifier({ list }: ModelsConfig, name: string | undefined): ModelSettings | string | null {
  if (!name) return null;
  return (
    list.find((model) => model.name === name) ?? 'VERIFY_MODEL: must be the name of a model in MODELS, or MODEL_NAME'
  );
}

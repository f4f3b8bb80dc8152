import type { ModelSettings, ModelsConfig } from './models.ts';

/** The model that reads scanned pages, and the most pages of one file. */
export type VisionSettings = { settings: ModelSettings; maxPages: number };

/** Reads `VISION_MODEL`, the name of a configured model. Null if it is not set, or a string that says what is wrong. */
export function readVision(
  { list }: ModelsConfig,
  { VISION_MODEL: name, VISION_MAX_PAGES: maxPages }: { VISION_MODEL?: string | undefined; VISION_MAX_PAGES: number },
): VisionSettings | string | null {
  if (!name) return null;
  const settings = list.find((model) => model.name === name);
  if (!settings) return 'VISION_MODEL: must be the name of a model in MODELS, or MODEL_NAME';
  return settings.images ? { settings, maxPages } : 'VISION_MODEL: must be a model that takes images';
}

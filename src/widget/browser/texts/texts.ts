import { en, type Texts } from './texts-en.ts';
import { es } from './texts-es.ts';
import { pt } from './texts-pt.ts';

export type { Texts };

const known: Record<string, Texts> = { en, pt, es };
/** The texts for a language such as `pt-BR`, and the language of the times beside them; English if there are none. */
export function textsIn(language: string): { texts: Texts; language: string } {
  const texts = known[language.slice(0, 2).toLowerCase()];
  return texts ? { texts, language } : { texts: en, language: 'en' };
}

/** Replaces placeholders such as `{name}`. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

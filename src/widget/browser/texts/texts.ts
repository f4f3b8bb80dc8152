import { en, type Texts } from './texts-en.ts';
import { es } from './texts-es.ts';
import { pt } from './texts-pt.ts';

export type { Texts };

/** The texts for a language such as `pt-BR`. */
export const textsIn = (language: string): Texts => ({ en, pt, es })[language.slice(0, 2)] as Texts;

/** Replaces placeholders such as `{name}`. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

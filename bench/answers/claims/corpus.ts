import { readFileSync } from 'node:fs';
import path from 'node:path';

export const languages = ['english', 'portuguese', 'spanish'] as const;
export type Language = (typeof languages)[number];
/** A sentence of a passage, and the same said in other words, by hand. */
export type Fact = { sentence: string; paraphrases: string[] };
/** `held` passages were not looked at while the rules were written. */
export type Passage = { part: 'tuning' | 'held'; title: string; text: string; facts: Fact[]; language: Language };

type Written = Omit<Passage, 'facts' | 'language'> & { facts: [string, ...string[]][] };

/** Reads the passages of a language that are in bench/data/claims. */
export function readPassages(language: Language): Passage[] {
  const file = path.join(import.meta.dirname, `../../data/claims/${language}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as Written[]).map(({ facts, ...passage }) => ({
    ...passage,
    language,
    facts: facts.map(([sentence, ...paraphrases]) => ({ sentence, paraphrases })),
  }));
}

export const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

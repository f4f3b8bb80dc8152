import { fold } from '../text/fold.ts';
import type { QueryWord } from '../text/lexemes.ts';
import type { FoundPassage } from './types.ts';

/** How many of the best passages are compared. */
export const formsDepth = 20;
/** How much a word counts in the form that the query has, beside what any form of it counts. */
const shareOfForm = 0.15;

/**
 * Reorders the best passages: a word in the very form that the query has says more than another with its stem, as
 * Portuguese "registrador" (a register) and "registro" (an entry). The index has stems only. `rarities`: of the words.
 */
export function preferSameForms(passages: FoundPassage[], words: QueryWord[], rarities: number[]): FoundPassage[] {
  if (passages.length < 2) return passages;
  const scored = passages.map((passage, index) => {
    if (index >= formsDepth) return passage;
    const text = fold(passage.place.title, passage.place.heading, passage.place.question, passage.text);
    const more = words.map(({ word, isPair }, at) => (!isPair && hasForm(text, word) ? (rarities[at] as number) : 0));
    return { ...passage, score: passage.score + shareOfForm * more.reduce((sum, rarity) => sum + rarity, 0) };
  });
  return scored.sort((a, b) => b.score - a.score);
}

/** A plural in -s is no other form. */
const hasForm = (text: string, word: string): boolean =>
  hasWord(text, word) || hasWord(text, word.endsWith('s') ? word.slice(0, -1) : `${word}s`);

const isPart = (character: string | undefined): boolean => /[\p{L}\p{M}\p{N}]/u.test(character ?? '');

/** Whether a folded text has a whole word; a search for the characters is faster than splitting the text. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  }
  return false;
}

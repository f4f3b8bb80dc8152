/** Conjunctions, then prepositions and the article, that are written together with the next word. */
const [conjunction, article, preposition] = [/^[وف]/, /^(?:[بك]?ال|لل)/, /^[وفبكل]/];
/** Endings of gender, number, case and possession, the longer ones first. */
const ending = /(?:ها|هم|نا|ان|ات|ون|ين|يه|وا|تم|ه|ي|ا)$/;
/** Of a word in ـة, which possession makes a ت. */
const ownedEnding = /(?:تها|تهم|تنا|ته)$/;
/** How many letters are left at least: roots have three, of which a weak one may be lost. */
const [minWord, minRoot] = [3, 2];
/** An ending of possession may follow one of number. */
const maxEndings = 2;

const without = (word: string, affix: RegExp, least: number): string => {
  const rest = word.replace(affix, '');
  return rest.length < least ? word : rest;
};

/**
 * A light stemmer, in the manner of Larkey's light10. A first letter that may be a preposition is dropped everywhere,
 * with an article and without: the stem need not be a word, but is the same in "library", "the library" and "for a
 * library". `word`: folded.
 */
export function stemArabic(word: string): string {
  let stem = word.replace(/ـ/g, '').replace(/ى/g, 'ي').replace(/ة/g, 'ه');
  stem = without(stem, conjunction, minWord);
  stem = without(stem, article, minRoot);
  stem = without(stem, preposition, minWord);
  stem = without(stem, ownedEnding, minWord);
  for (let count = 0; count < maxEndings; count++) stem = without(stem, ending, minRoot);
  return stem;
}

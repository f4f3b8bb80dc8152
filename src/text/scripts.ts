import { stemmer as stemArabic } from '@orama/stemmers/arabic';
import { stemmer as stemGreek } from '@orama/stemmers/greek';
import { stemmer as stemRussian } from '@orama/stemmers/russian';

/** A script whose words have one stem, whatever the language of the text around them. `id`: one letter. */
export type Script = { id: string; stem(word: string): string };

/** Folding makes й an и; after a vowel, the stemmer needs it back. */
const stemCyrillic = (word: string): string => stemRussian(word.replace(/(?<=[аеиоуыэюя])и$/, 'й'));

const scripts: [letter: RegExp, Script][] = [
  [/^\p{scx=Arabic}/u, { id: 'a', stem: stemArabic }],
  [/^\p{scx=Cyrillic}/u, { id: 'c', stem: stemCyrillic }],
  [/^\p{scx=Greek}/u, { id: 'g', stem: stemGreek }],
];
/** Greek is the first of them in Unicode. */
const firstLetter = 0x370;

/** Returns the script of a folded word; null for Latin ones, whose stem depends on the language, and for all others. */
export function scriptOf(word: string): Script | null {
  if (word.charCodeAt(0) < firstLetter) return null;
  return scripts.find(([letter]) => letter.test(word))?.[1] ?? null;
}

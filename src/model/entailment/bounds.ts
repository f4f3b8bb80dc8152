import { numberAt } from './number-words.ts';
import { boundGroup } from './vocabulary.ts';

/** Words for bounds, folded, which exclude each other; after the bar, those that are bounds only before a number. */
const phrases: [word: string, always: string, beforeNumber: string][] = [
  [
    'minimum',
    'at least|no less than|not less than|no fewer than|minimum of|minimum|pelo menos|ao menos|no minimo|minimo|minima|al menos|por lo menos|como minimo',
    'from',
  ],
  [
    'maximum',
    'at most|no more than|not more than|maximum of|maximum|no maximo|maximo|maxima|como maximo|no mas de|a lo sumo',
    'up to|ate|hasta',
  ],
  [
    'over',
    'more than|greater than|mais de|mais que|mais do que|mas de|mas que|acima de|por encima de|superior a',
    'over|above',
  ],
  ['under', 'less than|fewer than|menos de|menos que|menos do que|abaixo de|por debajo de|inferior a', 'under|below'],
];
type Bound = { words: string[]; word: string; side: { group: number; side: number }; beforeNumber: boolean };
const bounds = Map.groupBy(
  phrases.flatMap(([word, always, only], side) =>
    [...always.split('|'), ...only.split('|')].map((phrase): Bound => {
      const beforeNumber = only.split('|').includes(phrase);
      return { words: phrase.split(' '), word, side: { group: boundGroup, side }, beforeNumber };
    }),
  ),
  ({ words }) => words[0],
);

/** The bound that begins at an index of a list of folded words, and how many of them it takes; null if none does. */
export function boundAt(words: string[], at: number): (Pick<Bound, 'word' | 'side'> & { length: number }) | null {
  const begun = bounds.get(words[at]);
  if (!begun) return null;
  const isNumber = (index: number) => /^\d|^[$€£]/.test(words[index] ?? '') || numberAt(words, index) !== null;
  const [longest] = begun
    .filter(({ words: own }) => own.every((word, index) => words[at + index] === word))
    .filter(({ words: { length }, beforeNumber }) => !beforeNumber || isNumber(at + length))
    .toSorted((one, other) => other.words.length - one.words.length);
  return longest ? { word: longest.word, side: longest.side, length: longest.words.length } : null;
}

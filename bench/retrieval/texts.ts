import { randomOf } from '../../test/support/random/random.ts';

let random = randomOf(1);

/** Makes the following texts the same as those of a new process. */
export function restart(): void {
  random = randomOf(1);
}

const syllables = 'ba ko ri tem sul pa dor vin ga lem no fis cu mar tel xo'.split(' ');
const vocabulary = Array.from({ length: 20_000 }, (_, rank) => {
  let word = '';
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16];
  return word;
});
/** The first ranks are left to stop words: the most frequent of the others occurs in about a third of the passages. */
const first = 25;

/** A word drawn by Zipf's law from the `max` most frequent ones. */
const wordAt = (max = vocabulary.length) =>
  vocabulary[Math.floor((first + 1) * (max / (first + 1)) ** random()) - 1] as string;

/** Words of a made-up language of 20,000 words, distributed as in a natural one. */
export const sentence = (words: number, max?: number): string =>
  Array.from({ length: words }, () => wordAt(max)).join(' ');

/** The texts of `count` passages, of 50 to 150 words each. */
export const passages = (count: number) =>
  Array.from({ length: count }, (_, position) => ({
    position,
    text: `the ${sentence(50 + Math.floor(random() * 100))} and of the`,
    place: { heading: sentence(3) },
  }));

/** A word of at least eight letters with two adjacent letters swapped. */
export function misspelt(): string {
  for (;;) {
    const word = sentence(1);
    const at = 3 + Math.floor(random() * (word.length - 5));
    if (word.length < 8 || word[at] === word[at + 1]) continue;
    return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
  }
}

/** The beginning of a word, as while typing it. */
export function begun(): string {
  for (;;) {
    const word = sentence(1);
    if (word.length >= 8) return word.slice(0, 5);
  }
}

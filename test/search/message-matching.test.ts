import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchAll } from '../../src/search/messages/matching.ts';
import { type Block, encodePostings, type Run } from '../../src/search/postings.ts';
import { casesOf } from '../support/random/cases.ts';

/** A message: its term frequencies, and its length in words. */
type Message = { terms: Map<string, number>; words: number; isGone: boolean };

const languages = ['e', 'p', 's'];
const vocabulary = ['aa', 'bb', 'cc', 'dd'];

const message = fc
  .record({
    language: fc.constantFrom(...languages),
    counts: fc.dictionary(fc.constantFrom(...vocabulary), fc.integer({ min: 1, max: 400 })),
    words: fc.integer({ min: 0, max: 400 }),
    isGone: fc.boolean(),
  })
  .map(({ language, counts, ...rest }): Message => {
    return { ...rest, terms: new Map(Object.entries(counts).map(([word, count]) => [`${language}:${word}`, count])) };
  });
const segments = fc.array(fc.array(message, { minLength: 1, maxLength: 60 }), { maxLength: 5 });
const query = fc.array(fc.record({ word: fc.constantFrom(...vocabulary), weight: fc.constantFrom(1, 1.5, 6) }), {
  minLength: 1,
  maxLength: 4,
});

const termsOf = (word: string) => languages.map((language) => `${language}:${word}`);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** The numbers and scores of the messages that contain every word, computed one by one. */
function matchOneByOne(stored: Message[][], words: { word: string; weight: number }[], averageWords: number) {
  const all = stored.flatMap((messages, segment) =>
    messages.map((each, slot) => ({ ...each, number: 100 * segment + slot })),
  );
  const live = all.filter(({ isGone }) => !isGone);
  const frequencyIn = ({ terms }: Message, word: string) =>
    Math.min(sum(termsOf(word).map((term) => terms.get(term) ?? 0)), 255);
  return live
    .filter((each) => words.every(({ word }) => frequencyIn(each, word) > 0))
    .map((each) => {
      const scores = words.map(({ word, weight }) => {
        const held = live.filter((other) => frequencyIn(other, word) > 0).length;
        const rarity = Math.log(1 + (live.length - held + 0.5) / (held + 0.5));
        const frequency = frequencyIn(each, word);
        const norm = 1.2 * (1 - 0.75 + (0.75 * Math.min(each.words, 255)) / averageWords);
        return (weight * rarity * frequency) / (frequency + norm);
      });
      return { number: each.number, score: sum(scores) };
    });
}

test('finds the messages that contain every word, with the scores of the formula', () => {
  fc.assert(
    fc.property(segments, query, fc.boolean(), (stored, words, isReversed) => {
      const averageWords = 20;
      const blocks = new Map<string, Block[]>();
      const runs = stored.map((messages, segment): Run => {
        const number = segment + 1;
        const { terms, sizes, blocks: bytes } = encodePostings(messages);
        let end = 0;
        for (const [index, term] of terms.entries()) {
          const start = end;
          end += sizes[index] as number;
          blocks.set(term, [...(blocks.get(term) ?? []), { run: number, bytes: bytes.subarray(start, end) }]);
        }
        const gone = new Set(messages.flatMap(({ isGone }, slot) => (isGone ? [slot] : [])));
        const only = {
          number: 100 * segment,
          start: 0,
          size: messages.length,
          wanted: true,
          gone: gone.size > 0 ? gone : null,
        };
        return { number, size: messages.length, segments: [only] };
      });
      const matched = matchAll({
        passages: stored.flat().filter(({ isGone }) => !isGone).length,
        averageWords,
        runs: isReversed ? runs.toReversed() : runs,
        words: words.map(({ word, weight }) => ({
          weight,
          elsewhere: 0,
          blocks: termsOf(word).flatMap((term) => blocks.get(term) ?? []),
        })),
      });
      const found = matched.flatMap(({ run, slots, scores }) =>
        [...slots].map((slot, index) => ({ number: (run.segments[0]?.number ?? 0) + slot, score: scores[index] })),
      );
      expect(found).toEqual(matchOneByOne(stored, words, averageWords));
    }),
    { numRuns: casesOf(500) },
  );
});

import { originOf } from '../prompt/prompt.ts';
import { sentencesOf } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';
import type { QuestionTerm } from './question-terms.ts';

/** A quote from a passage; `number` is the passage's, from 1. */
export type Quote = { number: number; passage: ModelPassage; text: string; words: string };
/** How much of the question's terms a text has, without those that it has nothing of. */
export type Held = Map<QuestionTerm, number>;
export type Candidate = {
  index: number;
  order: number;
  text: string;
  /** What it has of the question, and what the place has that it stands in: its heading, its source. */
  own: Held;
  place: Held;
  share: number;
};

/** How much the terms of a candidate count: more for an answer that was written to a question. */
export const shareOfWritten = 1.25;

/** What either text has. */
export const bothOf = (one: Held, other: Held): Held =>
  new Map([...one, ...[...other].map(([term, share]) => [term, Math.max(share, one.get(term) ?? 0)] as const)]);

/**
 * Splits a passage into candidates. An FAQ answer is a single candidate, and its question counts as much as its text;
 * other passages are split into sentences, with preceding headings and questions as context.
 */
export function candidatesOf(passage: ModelPassage, index: number, heldIn: (text: string) => Held): Candidate[] {
  const place = heldIn(originOf(passage));
  if (passage.place.question) {
    // Written for this question, whatever forms it is asked in.
    const own = new Map([...heldIn(`${passage.place.question} ${passage.text}`).keys()].map((term) => [term, 1]));
    return [{ index, order: 0, text: passage.text.trim(), own, place, share: shareOfWritten }];
  }
  let lead: Held = new Map();
  let isAfterText = false;
  return sentencesOf(passage.text).flatMap((text, order): Candidate[] => {
    const own = heldIn(text);
    // A heading after a sentence begins something else; one after a heading may be what that names.
    if (isHeading(text) && isAfterText) lead = new Map();
    isAfterText = !isHeading(text) && !isQuestion(text);
    const candidate = {
      index,
      order,
      text,
      own,
      place: bothOf(place, lead),
      share: isHeading(text) ? 0.5 : 1,
    };
    if (isQuestion(text) || isHeading(text)) lead = own;
    return isQuestion(text) ? [] : [candidate];
  });
}

/** A question is no answer, but tells what the sentences after it are about. */
const isQuestion = (text: string): boolean => /[?？؟]["”»)]?$/.test(text) || /^#{1,6}\s/.test(text);

/** So does what looks like a heading, though it may also be the answer. */
export const isHeading = (text: string): boolean => text.length <= 60 && !/[.!;:\d。！；：؟]|^[-*•]/.test(text);

export type Weights = Map<QuestionTerm, number>;

/** The weight of a pair of letters that no sentence has: most of these span two words. */
const shareOfDoubtful = 0.3;

/**
 * Rare terms weigh more than common ones, as in IDF: by how rare their words are in the workspace, where retrieval
 * tells, as a name that the passages lack says more than a common word; otherwise by the candidates. So it is for pairs
 * of letters: one that spans two words is rare, and says nothing.
 */
export function weightsOf(
  terms: QuestionTerm[],
  candidates: Candidate[],
  rarities?: ReadonlyMap<string, number>,
): Weights {
  if (rarities && !terms.some(({ isPair }) => isPair)) {
    // Of a long message, only the rarest words were searched for.
    const least = Math.min(...rarities.values());
    return new Map(terms.map((term) => [term, Math.max(...term.words.map((word) => rarities.get(word) ?? least))]));
  }
  return new Map(
    terms.map((term) => {
      const matching = candidates.filter(({ own, place }) => own.has(term) || place.has(term)).length;
      const weight = Math.log(1 + (candidates.length + 1) / (matching + 1));
      return [term, matching === 0 && term.isPair ? weight * shareOfDoubtful : weight];
    }),
  );
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

export const totalOf = (weights: Weights): number => sumOf([...weights.values()]);

/** The weight of the terms that a text has in any form. */
export const weightOf = (held: Held, weights: Weights): number =>
  sumOf([...held.keys()].map((term) => weights.get(term) ?? 0));

/** The same, of which other forms than that of the question count in part. */
export const weightInForm = (held: Held, weights: Weights): number =>
  sumOf([...held].map(([term, share]) => share * (weights.get(term) ?? 0)));

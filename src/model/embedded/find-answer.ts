import { fold } from '../../text/fold.ts';
import { foldedWords, queryWords, termsOf as stemsOf } from '../../text/lexemes.ts';
import { lettersOf, piecesOf } from '../../text/unspaced.ts';
import { originOf } from '../prompt/prompt.ts';
import { sentencesOf, squash, termsOf } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';
import { containsAskedKind } from './asked-thing.ts';
import { otherGrammarOf } from './language.ts';

/** A quote from a passage; `number` is the passage's, from 1. */
type Quote = { number: number; passage: ModelPassage; text: string; words: string };
export type FoundAnswer = {
  quotes: Quote[];
  /** The quotes are on the topic of the question, but may not answer it. */
  close: boolean;
};

type Candidate = {
  index: number;
  order: number;
  text: string;
  ownTerms: Set<string>;
  placeTerms: Set<string>;
  share: number;
};

const maxQuotes = 3;
/**
 * The minimum share of the question, weighted by the rarity of its terms, that the best passage must contain; and that
 * of a plain answer.
 */
const minShare = 0.26;
const minShareForDirectAnswer = 0.5;
/**
 * Most words of a long message are not part of what it asks: matching this many times the weight of its rarest term
 * counts as all of it.
 */
const enoughOfRarest = 5;
/** The sentence after a quoted one often has the answer. In characters, the limit for quoting it too. */
const maxQuoteLength = 400;

/**
 * Finds the sentences of the passages that best answer a question, in passage order; null if the passages are about
 * something else.
 */
export function findAnswer(question: string, passages: ModelPassage[], ignore: Set<string>): FoundAnswer | null {
  const questionTerms = questionTermsOf(question, ignore);
  if (questionTerms.size === 0) return null;
  const candidates = passages.flatMap(candidatesOf);
  const weights = weightsOf([...questionTerms.values()], candidates);
  const scored = candidates.map((candidate) => ({ candidate, ...score(candidate, weights) }));
  const best = scored.reduce((top, next) => (next.points > top.points ? next : top), { points: 0 });
  const share = bestShare(candidates, weights);
  if (best.points === 0 || share < minShare) return null;
  const kept = scored
    .filter(({ points }) => points >= best.points * 0.75)
    .sort((a, b) => b.points - a.points)
    .slice(0, maxQuotes)
    .map(({ candidate }) => candidate)
    .sort((a, b) => a.index - b.index || a.order - b.order);
  const quotes = joined(withNext(kept, candidates), passages);
  const isWritten = quotes.some(({ passage }) => passage.place.question);
  const isAnswered = isWritten || containsAskedKind(question, quotes.map(({ text }) => text).join('\n'), share);
  return { quotes, close: share < minShareForDirectAnswer || !isAnswered };
}

/** The largest share of the question that any one passage contains, including the passage's place in its source. */
function bestShare(candidates: Candidate[], weights: Weights): number {
  const all = [...weights.values()];
  const sum = all.reduce((total, weight) => total + weight, 0);
  const total = Math.min(sum, enoughOfRarest * Math.max(...all));
  const termsByPassage = Map.groupBy(candidates, ({ index }) => index);
  const shares = [...termsByPassage.values()].map((sentences) => {
    const terms = sentences.reduce(
      (all, { ownTerms, placeTerms }) => all.union(ownTerms).union(placeTerms),
      new Set<string>(),
    );
    return [...weights].reduce((sum, [forms, weight]) => sum + (hasAny(terms, forms) ? weight : 0), 0) / total;
  });
  return Math.max(0, ...shares);
}

/** Adds the sentence after each quoted one. */
function withNext(kept: Candidate[], candidates: Candidate[]): Candidate[] {
  const all = new Set(kept);
  for (const candidate of kept) {
    const next = candidates.find(({ index, order }) => index === candidate.index && order === candidate.order + 1);
    if (next && next.share === 1 && candidate.text.length + next.text.length <= maxQuoteLength) all.add(next);
  }
  return [...all].sort((a, b) => a.index - b.index || a.order - b.order);
}

/** The terms of a question, each with all forms to look for in a text: its prefix, and its stems in three languages. */
type QuestionTerms = Map<string, string[]>;

function questionTermsOf(question: string, ignore: Set<string>): QuestionTerms {
  const asked = queryWords(question).flatMap(({ word, terms, isGrammar }) => {
    const [ownTerms] = termsOf(word);
    return isGrammar || ownTerms === undefined || ignore.has(ownTerms) ? [] : [{ word, ownTerms, terms }];
  });
  const otherGrammar = otherGrammarOf(question);
  const meant = asked.filter(({ word }) => !otherGrammar.has(word));
  const questionTerms: QuestionTerms = new Map(
    (meant.length > 0 ? meant : asked).map(({ ownTerms, terms }) => [ownTerms, [ownTerms, ...terms]]),
  );
  // Stop words in capitals, which are names.
  for (const term of termsOf(question)) if (/^[A-Z]/.test(term)) questionTerms.set(term, [term]);
  return questionTerms;
}

/** The forms that occur in a text. */
const termSet = (text: string): Set<string> =>
  termsOf(text).union(
    new Set(
      foldedWords(fold(text))
        .flatMap((word) => [...piecesOf(word), ...lettersOf(word)])
        .flatMap(stemsOf),
    ),
  );

const hasAny = (terms: Set<string>, forms: string[]): boolean => forms.some((form) => terms.has(form));

/**
 * Splits a passage into candidates. An FAQ answer is a single candidate, and its question counts as much as its text;
 * other passages are split into sentences, with preceding headings and questions as context.
 */
function candidatesOf(passage: ModelPassage, index: number): Candidate[] {
  const placeTerms = termSet(originOf(passage));
  if (passage.place.question) {
    const ownTerms = termSet(`${passage.place.question} ${passage.text}`);
    return [{ index, order: 0, text: passage.text.trim(), ownTerms, placeTerms, share: 1.25 }];
  }
  let lead = new Set<string>();
  return sentencesOf(passage.text).flatMap((text, order): Candidate[] => {
    const ownTerms = termSet(text);
    const candidate = {
      index,
      order,
      text,
      ownTerms,
      placeTerms: placeTerms.union(lead),
      share: isHeading(text) ? 0.5 : 1,
    };
    if (isQuestion(text) || isHeading(text)) lead = ownTerms;
    return isQuestion(text) ? [] : [candidate];
  });
}

/** A question is no answer, but tells what the sentences after it are about. */
const isQuestion = (text: string): boolean => /\?["”»)]?$/.test(text) || /^#{1,6}\s/.test(text);

/** So does what looks like a heading, though it may also be the answer. */
const isHeading = (text: string): boolean => text.length <= 60 && !/[.!;:\d]|^[-*•]/.test(text);

type Weights = Map<string[], number>;

/** Rare terms weigh more than common ones, as in IDF. */
function weightsOf(questionTerms: string[][], candidates: Candidate[]): Weights {
  return new Map(
    questionTerms.map((forms) => {
      const matching = candidates.filter(
        ({ ownTerms, placeTerms }) => hasAny(ownTerms, forms) || hasAny(placeTerms, forms),
      ).length;
      return [forms, Math.log(1 + (candidates.length + 1) / (matching + 1))];
    }),
  );
}

function score({ index, ownTerms, placeTerms, share }: Candidate, weights: Weights): { points: number } {
  let points = 0;
  for (const [forms, weight] of weights) {
    const isOwn = hasAny(ownTerms, forms);
    if (isOwn || hasAny(placeTerms, forms)) points += weight * (isOwn ? share : 0.6);
  }
  // Passages come best first.
  return { points: points * (1 - Math.min(index, 9) * 0.03) };
}

/** Joins consecutive sentences of a passage into one quote. */
function joined(kept: Candidate[], passages: ModelPassage[]): Quote[] {
  const quotes: (Quote & { last: number })[] = [];
  for (const { index, order, text } of kept) {
    const passage = passages[index];
    const before = quotes.at(-1);
    if (before?.passage === passage && before && before.last === order - 1) {
      Object.assign(before, { text: `${before.text} ${text}`, last: order });
    } else if (passage) {
      quotes.push({ number: index + 1, passage, text, words: squash(text), last: order });
    }
  }
  return quotes;
}

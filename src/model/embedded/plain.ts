import { fold } from '../../text/fold.ts';
import { capitalising, languageOf } from '../../text/language.ts';
import { foldedWords } from '../../text/lexemes.ts';
import { piecesOf } from '../../text/unspaced.ts';
import { originOf } from '../prompt/prompt.ts';
import { sentencesOf } from '../reply/text.ts';
import { askedNames, containsAskedKind } from './asked-thing.ts';
import {
  bothOf,
  type Candidate,
  type Held,
  type Quote,
  totalOf,
  type Weights,
  weightInForm,
  weightOf,
} from './candidates.ts';
import { formsOf, type QuestionTerm, questionTermsOf, shareOfStem } from './question-terms.ts';

/**
 * For a plain answer, the shares of the question that the best passage and the best sentence contain, and a part of the
 * share of its words that stand together in the quotes, too, must add up to this, and to more for a question of few
 * words, each of which passages on other subjects may have.
 */
const minShares = 0.95;
const moreForFew = 1.2;
const partOfTogether = 0.6;
/** The same for an answer that was written to a question. */
const minSharesOfWritten = 1;
/** Words that are this far apart at most stand together. */
const maxDistance = 4;
/** Of a question of a single word. */
const togetherOfOne = 0.5;
/**
 * Most words of a long message are not part of what it asks: matching this many times the weight of its rarest term
 * counts as all of it.
 */
const enoughOfRarest = 5;

type Found = {
  question: string;
  terms: QuestionTerm[];
  weights: Weights;
  candidates: Candidate[];
  quotes: Quote[];
};

/** Whether quotes contain enough of a question, and what it asks for, to be told without the caveat. */
export function isPlain({ question, terms, weights, candidates, quotes }: Found): boolean {
  const inAnyForm = sharesOf(candidates, weights, weightOf);
  if (quotes.some(({ passage }) => passage.place.question))
    return inAnyForm.passage + inAnyForm.sentence >= minSharesOfWritten;
  const { passage, sentence } = sharesOf(candidates, weights, weightInForm);
  const together = partOfTogether * togetherIn(terms, quotes);
  if (passage + sentence + together < minShares + moreForFew / weights.size) return false;
  const text = quotes.map((quote) => quote.text).join('\n');
  return containsAskedKind(question, text, inAnyForm.passage) && containsNames(question, quotes);
}

/**
 * The largest shares of the question that any one passage, and any one sentence, contains, including the passage's
 * place in its source.
 */
export function sharesOf(
  candidates: Candidate[],
  weights: Weights,
  weigh: (held: Held, weights: Weights) => number,
): { passage: number; sentence: number } {
  const total = Math.min(totalOf(weights), enoughOfRarest * Math.max(...weights.values()));
  const passages = new Map<number, Held>();
  let sentence = 0;
  for (const { index, own, place } of candidates) {
    const held = bothOf(own, place);
    sentence = Math.max(sentence, weigh(held, weights) / total);
    passages.set(index, bothOf(passages.get(index) ?? new Map(), held));
  }
  return { passage: Math.max(0, ...[...passages.values()].map((held) => weigh(held, weights) / total)), sentence };
}

/** The share of the neighbouring terms of a question that stand together in a quote, too. */
function togetherIn(terms: QuestionTerm[], quotes: Quote[]): number {
  if (terms.length < 2) return togetherOfOne;
  const together = new Set<number>();
  for (const sentence of quotes.flatMap(({ text }) => sentencesOf(text))) {
    const forms = foldedWords(fold(sentence)).flatMap(piecesOf).map(formsOf);
    const places = terms.map((term) => forms.flatMap((form, at) => (term.shareIn(form) >= shareOfStem ? [at] : [])));
    for (const [index, others] of places.slice(1).entries()) {
      const isNear = (from: number) => others.some((to) => to !== from && Math.abs(to - from) <= maxDistance);
      if (places[index]?.some(isNear)) together.add(index);
    }
  }
  return together.size / (terms.length - 1);
}

/** Whether the quoted passages have the names in a question: what says the same of something else is no answer. */
function containsNames(question: string, quotes: Quote[]): boolean {
  if (capitalising.has(languageOf(question))) return true;
  const names = askedNames(question).map((name) => questionTermsOf(name, new Set()).terms);
  if (names.length === 0) return true;
  const passages = [...new Set(quotes.map(({ passage }) => passage))];
  const forms = passages.map((passage) => formsOf(`${originOf(passage)} ${passage.text}`));
  const isThere = (term: QuestionTerm) => forms.some((held) => term.shareIn(held) > 0);
  return names.every((terms) => terms.length === 0 || terms.some(isThere));
}

import { originOf } from '../prompt/prompt.ts';
import { sentencesOf, squash } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';
import { containsAskedKind } from './asked-thing.ts';
import { formsOf, type QuestionTerm, questionTermsOf } from './question-terms.ts';

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
  forms: Set<string>;
  placeForms: Set<string>;
  share: number;
};

const maxQuotes = 3;
/** Sentences are quoted that have this share of the best one's points; of the two best passages, one that has less. */
const shareOfBest = 0.75;
const shareInLeading = 0.5;
const leadingPassages = 2;
/** Another sentence of a quoted passage that adds this share of the question is quoted too. */
const addedShare = 0.1;
/** The minimum share of the question, weighted by the rarity of its terms, that the best passage must contain. */
const minShare = 0.26;
/**
 * For a plain answer, the shares that the best passage and the best sentence contain must add up to this, and to more
 * for a question of few words, each of which passages on other subjects may have too.
 */
const minShares = 0.95;
const moreForFew = 0.4;
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
  if (questionTerms.terms.length === 0) return null;
  const candidates = passages.flatMap(candidatesOf);
  const weights = weightsOf(questionTerms.terms, candidates);
  const scored = candidates.map((candidate) => ({ candidate, points: score(candidate, weights) }));
  const best = Math.max(0, ...scored.map(({ points }) => points));
  const shares = sharesOf(candidates, weightsOf(questionTerms.words, candidates));
  if (best === 0 || Math.max(shares.passage, sharesOf(candidates, weights).passage) < minShare) return null;
  const kept = withMore(chosenOf(scored, best, weights), candidates, weights);
  const quotes = joined(withNext(kept, candidates), passages);
  const isWritten = quotes.some(({ passage }) => passage.place.question);
  const text = quotes.map((quote) => quote.text).join('\n');
  const isAnswered = isWritten || containsAskedKind(question, text, shares.passage);
  const enough = minShares + moreForFew / questionTerms.words.length;
  return { quotes, close: shares.passage + shares.sentence < enough || !isAnswered };
}

type Scored = { candidate: Candidate; points: number };

/**
 * The best sentences, and the best one of each passage that retrieval ranks first, unless another has all of the
 * question that it has, and more: it may say the same of something else.
 */
function chosenOf(scored: Scored[], best: number, weights: Weights): Set<Candidate> {
  const sorted = scored.toSorted((a, b) => b.points - a.points);
  const near = sorted.filter(({ points }) => points >= best * shareOfBest).slice(0, maxQuotes);
  const chosen = new Set(near.map(({ candidate }) => candidate));
  for (let index = 0; index < leadingPassages; index++) {
    const own = sorted.find(({ candidate }) => candidate.index === index);
    if (!own || own.points < best * shareInLeading) continue;
    if (![...chosen].some((other) => saysMore(other, own.candidate, weights))) chosen.add(own.candidate);
  }
  return chosen;
}

/** Whether a sentence has all terms of the question that another has, and more. */
function saysMore(one: Candidate, than: Candidate, weights: Weights): boolean {
  const held = ({ forms, placeForms }: Candidate) =>
    new Set([...weights.keys()].filter((term) => term.isIn(forms) || term.isIn(placeForms)));
  const [all, some] = [held(one), held(than)];
  return all.size > some.size && all.isSupersetOf(some);
}

/** Adds to the quotes of each passage the sentence with most of what they lack of the question. */
function withMore(chosen: Set<Candidate>, candidates: Candidate[], weights: Weights): Set<Candidate> {
  const total = sumOf([...weights.values()]);
  const byPassage = Map.groupBy(candidates, ({ index }) => index);
  const added = [...byPassage.values()].flatMap((sentences) => {
    const quoted = sentences.filter((candidate) => chosen.has(candidate));
    if (quoted.length === 0) return [];
    const missing = new Map([...weights].filter(([term]) => !quoted.some(({ forms }) => term.isIn(forms))));
    const gains = sentences.map((candidate) => ({ candidate, gain: weightIn(candidate.forms, missing) }));
    const most = gains.reduce((top, next) => (next.gain > top.gain ? next : top));
    return most.gain >= addedShare * total ? [most.candidate] : [];
  });
  return chosen.union(new Set(added));
}

/**
 * The largest shares of the question that any one passage, and any one sentence, contains, including the passage's
 * place in its source.
 */
function sharesOf(candidates: Candidate[], weights: Weights): { passage: number; sentence: number } {
  const all = [...weights.values()];
  const total = Math.min(sumOf(all), enoughOfRarest * Math.max(...all));
  const shareIn = (sentences: Candidate[]) =>
    weightIn(
      sentences.map(({ forms, placeForms }) => forms.union(placeForms)).reduce((a, b) => a.union(b)),
      weights,
    ) / total;
  const passages = [...Map.groupBy(candidates, ({ index }) => index).values()];
  return {
    passage: Math.max(0, ...passages.map(shareIn)),
    sentence: Math.max(0, ...candidates.map((candidate) => shareIn([candidate]))),
  };
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** The weight of those of the terms that a text has. */
const weightIn = (forms: Set<string>, weights: Weights): number =>
  sumOf([...weights].map(([term, weight]) => (term.isIn(forms) ? weight : 0)));

/** Adds the sentence after each quoted one. */
function withNext(kept: Set<Candidate>, candidates: Candidate[]): Candidate[] {
  const all = new Set(kept);
  for (const candidate of kept) {
    const next = candidates.find(({ index, order }) => index === candidate.index && order === candidate.order + 1);
    if (next && next.share === 1 && candidate.text.length + next.text.length <= maxQuoteLength) all.add(next);
  }
  return [...all].sort((a, b) => a.index - b.index || a.order - b.order);
}

/**
 * Splits a passage into candidates. An FAQ answer is a single candidate, and its question counts as much as its text;
 * other passages are split into sentences, with preceding headings and questions as context.
 */
function candidatesOf(passage: ModelPassage, index: number): Candidate[] {
  const placeForms = formsOf(originOf(passage));
  if (passage.place.question) {
    const forms = formsOf(`${passage.place.question} ${passage.text}`);
    return [{ index, order: 0, text: passage.text.trim(), forms, placeForms, share: 1.25 }];
  }
  let lead = new Set<string>();
  return sentencesOf(passage.text).flatMap((text, order): Candidate[] => {
    const forms = formsOf(text);
    const candidate = {
      index,
      order,
      text,
      forms,
      placeForms: placeForms.union(lead),
      share: isHeading(text) ? 0.5 : 1,
    };
    if (isQuestion(text) || isHeading(text)) lead = forms;
    return isQuestion(text) ? [] : [candidate];
  });
}

/** A question is no answer, but tells what the sentences after it are about. */
const isQuestion = (text: string): boolean => /\?["”»)]?$/.test(text) || /^#{1,6}\s/.test(text);

/** So does what looks like a heading, though it may also be the answer. */
const isHeading = (text: string): boolean => text.length <= 60 && !/[.!;:\d]|^[-*•]/.test(text);

type Weights = Map<QuestionTerm, number>;

/** The weight of a pair of letters that no sentence has: most of these span two words. */
const shareOfDoubtful = 0.3;

/** Rare terms weigh more than common ones, as in IDF. */
function weightsOf(terms: QuestionTerm[], candidates: Candidate[]): Weights {
  return new Map(
    terms.map((term) => {
      const matching = candidates.filter(({ forms, placeForms }) => term.isIn(forms) || term.isIn(placeForms)).length;
      const weight = Math.log(1 + (candidates.length + 1) / (matching + 1));
      return [term, matching === 0 && term.isPair ? weight * shareOfDoubtful : weight];
    }),
  );
}

function score({ index, forms, placeForms, share }: Candidate, weights: Weights): number {
  let points = 0;
  for (const [term, weight] of weights) {
    const isOwn = term.isIn(forms);
    if (isOwn || term.isIn(placeForms)) points += weight * (isOwn ? share : 0.6);
  }
  // Passages come best first.
  return points * (1 - Math.min(index, 9) * 0.03);
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

import { collapseSpaces } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';
import { hasAskedTime } from './asked-thing.ts';
import {
  bothOf,
  type Candidate,
  candidatesOf,
  type Held,
  isHeading,
  type Quote,
  shareOfWritten,
  totalOf,
  type Weights,
  weightOf,
  weightsOf,
} from './candidates.ts';
import { definesAsked } from './definitions.ts';
import { isPlain, sharesOf } from './plain.ts';
import { formsOf, type QuestionTerm, questionTermsOf } from './question-terms.ts';

export type FoundAnswer = {
  quotes: Quote[];
  /** The quotes are on the topic of the question, but may not answer it. */
  close: boolean;
};

const maxQuotes = 3;
/** How much more the points of a sentence are that says what something is, where that is asked. */
const shareOfDefinition = 1.4;
/** Sentences are quoted that have this share of the best one's points; of the two best passages, one that has less. */
const shareOfBest = 0.75;
const shareInLeading = 0.5;
const leadingPassages = 2;
/** Another sentence of a quoted passage that adds this share of the question is quoted too. */
const addedShare = 0.1;
/** The minimum share of the question, weighted by the rarity of its terms, that the best passage must contain. */
const minShare = 0.26;
/** The sentence after a quoted one often has the answer. In characters, the limit for quoting it too. */
const maxQuoteLength = 400;

/**
 * Finds the sentences of the passages that best answer a question, in passage order; null if the passages are about
 * something else.
 */
export function findAnswer(question: string, passages: ModelPassage[], ignore: Set<string>): FoundAnswer | null {
  const { terms, words } = questionTermsOf(question, ignore);
  if (terms.length === 0) return null;
  const all = [...new Set([...terms, ...words])];
  const heldIn = (text: string): Held => {
    const forms = formsOf(text);
    return new Map(all.map((term) => [term, term.shareIn(forms)] as const).filter(([, share]) => share > 0));
  };
  const candidates = passages.flatMap((passage, index) => candidatesOf(passage, index, heldIn));
  const rarities = passages.find((passage) => passage.rarities)?.rarities;
  const [weights, weightsOfWords] = [terms, words].map((each) => weightsOf(each, candidates, rarities)) as [
    Weights,
    Weights,
  ];
  const defines = definesAsked(question, terms);
  const scored = candidates.map((candidate): Scored => {
    const points = score(candidate, weights);
    return { candidate, points: defines?.(candidate.text) ? points * shareOfDefinition : points };
  });
  const best = scored.reduce((top: Scored | null, next) => (top && top.points >= next.points ? top : next), null);
  // By the candidates, among which a term that none has weighs more than one that a single one has.
  const share = Math.max(
    ...[terms, words].map((each) => sharesOf(candidates, weightsOf(each, candidates), weightOf).passage),
  );
  if (!best?.points || share < minShare) return null;
  const kept = withMore(chosenOf(scored, best.points), candidates, weights);
  const quotes = joined(withNeighbours(kept, candidates, hasAskedTime(question)), passages);
  return { quotes, close: !isPlain({ question, terms, weights: weightsOfWords, candidates, quotes }) };
}

type Scored = { candidate: Candidate; points: number };

/**
 * The best sentences, and the best one of each passage that retrieval ranks first, unless another has all of the
 * question that it has, and more: it may say the same of something else. An answer that was written stands alone.
 */
function chosenOf(scored: Scored[], best: number): Set<Candidate> {
  const sorted = scored.toSorted((a, b) => b.points - a.points);
  const near = sorted.filter(({ points }) => points >= best * shareOfBest).slice(0, maxQuotes);
  const isAlone = near[0]?.candidate.share === shareOfWritten;
  const chosen = new Set(
    near.flatMap(({ candidate }) => (!isAlone || candidate.share === shareOfWritten ? candidate : [])),
  );
  if (isAlone) return chosen;
  for (let index = 0; index < leadingPassages; index++) {
    const own = sorted.find(({ candidate }) => candidate.index === index);
    if (!own || own.points < best * shareInLeading) continue;
    if (![...chosen].some((other) => saysMore(other, own.candidate))) chosen.add(own.candidate);
  }
  return chosen;
}

/** Whether a sentence has all terms of the question that another has, and more. */
function saysMore(one: Candidate, than: Candidate): boolean {
  const [all, some] = [one, than].map(({ own, place }) => new Set(bothOf(own, place).keys())) as [
    Set<QuestionTerm>,
    Set<QuestionTerm>,
  ];
  return all.size > some.size && all.isSupersetOf(some);
}

/** Adds to the quotes of each passage the sentence with most of what they lack of the question. */
function withMore(chosen: Set<Candidate>, candidates: Candidate[], weights: Weights): Set<Candidate> {
  const total = totalOf(weights);
  const byPassage = Map.groupBy(candidates, ({ index }) => index);
  const added = [...byPassage.values()].flatMap((sentences) => {
    const quoted = sentences.filter((candidate) => chosen.has(candidate));
    if (quoted.length === 0) return [];
    const missing = new Map(
      [...weights].filter(([term]) => !quoted.some(({ own, place }) => own.has(term) || place.has(term))),
    );
    const gains = sentences
      .filter(({ share }) => share >= 1)
      .map((candidate) => ({ candidate, gain: weightOf(candidate.own, missing) }));
    const [most] = gains.toSorted((a, b) => b.gain - a.gain);
    return most && most.gain >= addedShare * total ? [most.candidate] : [];
  });
  return chosen.union(new Set(added));
}

/** Adds the sentence after each quoted one, and the one before if it alone has the time that is asked for. */
function withNeighbours(
  kept: Set<Candidate>,
  candidates: Candidate[],
  hasTime: ((text: string) => boolean) | null,
): Candidate[] {
  const all = new Set(kept);
  const neighbour = (candidate: Candidate, step: number): Candidate | null => {
    const found = candidates.find(({ index, order }) => index === candidate.index && order === candidate.order + step);
    return found?.share === 1 && candidate.text.length + found.text.length <= maxQuoteLength ? found : null;
  };
  for (const candidate of kept) {
    const next = neighbour(candidate, 1);
    if (next) all.add(next);
  }
  if (hasTime && ![...all].some(({ text }) => hasTime(text))) {
    for (const candidate of kept) {
      const before = neighbour(candidate, -1);
      if (before && hasTime(before.text)) all.add(before);
    }
  }
  return [...all].sort((a, b) => a.index - b.index || a.order - b.order);
}

/** How much what only the place of a sentence has of a question counts. */
const shareOfPlace = 0.6;

function score({ index, own, place, share }: Candidate, weights: Weights): number {
  let points = 0;
  for (const [term, weight] of weights) {
    points += weight * Math.max((own.get(term) ?? 0) * share, (place.get(term) ?? 0) * shareOfPlace);
  }
  // Passages come best first.
  return points * (1 - Math.min(index, 9) * 0.03);
}

/** Joins consecutive sentences of a passage into one quote; a heading is no part of the sentence after it. */
function joined(kept: Candidate[], passages: ModelPassage[]): Quote[] {
  const quotes: (Quote & { last: number })[] = [];
  for (const { index, order, text } of kept) {
    const passage = passages[index];
    const before = quotes.at(-1);
    if (
      before?.passage === passage &&
      before &&
      before.last === order - 1 &&
      !isHeading(text) &&
      !isHeading(before.text)
    ) {
      Object.assign(before, { text: `${before.text} ${text}`, last: order });
    } else if (passage) {
      quotes.push({ number: index + 1, passage, text, words: collapseSpaces(text), last: order });
    }
  }
  return quotes;
}

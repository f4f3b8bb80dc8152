import { originOf } from '../prompt/prompt.ts';
import { collapseSpaces, sentencesOf } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';
import { askedNames, containsAskedKind, hasAskedTime } from './asked-thing.ts';
import { definesAsked } from './definitions.ts';
import { showsGerman } from './language.ts';
import { formsOf, type QuestionTerm, questionTermsOf } from './question-terms.ts';

/** A quote from a passage; `number` is the passage's, from 1. */
type Quote = { number: number; passage: ModelPassage; text: string; words: string };
export type FoundAnswer = {
  quotes: Quote[];
  /** The quotes are on the topic of the question, but may not answer it. */
  close: boolean;
};

/** Those of the question's terms that a text has. */
type Held = Set<QuestionTerm>;
type Candidate = {
  index: number;
  order: number;
  text: string;
  /** What it has of the question, and what the place has that it stands in: its heading, its source. */
  own: Held;
  place: Held;
  share: number;
};

const maxQuotes = 3;
/** How much the terms of a candidate count: more for an answer that was written to a question. */
const shareOfWritten = 1.25;
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
/**
 * For a plain answer, the shares that the best passage and the best sentence contain must add up to this, and to more
 * for a question of few words, each of which passages on other subjects may have too.
 */
const minShares = 0.98;
const moreForFew = 0.4;
/** The same for an answer that was written to a question. */
const minSharesOfWritten = 1;
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
  const { terms, words } = questionTermsOf(question, ignore);
  if (terms.length === 0) return null;
  const all = [...new Set([...terms, ...words])];
  const heldIn = (text: string): Held => {
    const forms = formsOf(text);
    return new Set(all.filter((term) => term.isIn(forms)));
  };
  const candidates = passages.flatMap((passage, index) => candidatesOf(passage, index, heldIn));
  const weights = weightsOf(terms, candidates);
  const defines = definesAsked(question, terms);
  const scored = candidates.map((candidate): Scored => {
    const points = score(candidate, weights);
    return { candidate, points: defines?.(candidate.text) ? points * shareOfDefinition : points };
  });
  const best = scored.reduce((top: Scored | null, next) => (top && top.points >= next.points ? top : next), null);
  const sharesOfTerms = sharesOf(candidates, weights);
  const shares = words === terms ? sharesOfTerms : sharesOf(candidates, weightsOf(words, candidates));
  if (!best?.points || Math.max(shares.passage, sharesOfTerms.passage) < minShare) return null;
  const kept = withMore(chosenOf(scored, best.points), candidates, weights);
  const quotes = joined(withNeighbours(kept, candidates, hasAskedTime(question)), passages);
  const isWritten = quotes.some(({ passage }) => passage.place.question);
  const text = quotes.map((quote) => quote.text).join('\n');
  const isAnswered =
    isWritten || (containsAskedKind(question, text, shares.passage) && containsNames(question, quotes));
  const enough = isWritten ? minSharesOfWritten : minShares + moreForFew / words.length;
  return { quotes, close: shares.passage + shares.sentence < enough || !isAnswered };
}

/**
 * Whether the quoted passages have the names in a question: what says the same of something else is no answer. German
 * capitalises every noun.
 */
function containsNames(question: string, quotes: Quote[]): boolean {
  const names = showsGerman(question) ? [] : askedNames(question).map((name) => questionTermsOf(name, new Set()).terms);
  if (names.length === 0) return true;
  const passages = [...new Set(quotes.map(({ passage }) => passage))];
  const forms = passages.map((passage) => formsOf(`${originOf(passage)} ${passage.text}`));
  return names.every((terms) => terms.length === 0 || terms.some((term) => forms.some((held) => term.isIn(held))));
}

type Scored = { candidate: Candidate; points: number };

/**
 * The best sentences, and the best one of each passage that retrieval ranks first, unless another has all of the
 * question that it has, and more: it may say the same of something else. An answer that was written stands alone.
 */
function chosenOf(scored: Scored[], best: number): Set<Candidate> {
  const sorted = scored.toSorted((a, b) => b.points - a.points);
  const near = sorted.filter(({ points }) => points >= best * shareOfBest).slice(0, maxQuotes);
  const chosen = new Set(near.map(({ candidate }) => candidate));
  if (near[0]?.candidate.share === shareOfWritten) return chosen;
  for (let index = 0; index < leadingPassages; index++) {
    const own = sorted.find(({ candidate }) => candidate.index === index);
    if (!own || own.points < best * shareInLeading) continue;
    if (![...chosen].some((other) => saysMore(other, own.candidate))) chosen.add(own.candidate);
  }
  return chosen;
}

/** Whether a sentence has all terms of the question that another has, and more. */
function saysMore(one: Candidate, than: Candidate): boolean {
  const [all, some] = [one, than].map(({ own, place }) => own.union(place)) as [Held, Held];
  return all.size > some.size && all.isSupersetOf(some);
}

/** Adds to the quotes of each passage the sentence with most of what they lack of the question. */
function withMore(chosen: Set<Candidate>, candidates: Candidate[], weights: Weights): Set<Candidate> {
  const total = sumOf([...weights.values()]);
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

/**
 * The largest shares of the question that any one passage, and any one sentence, contains, including the passage's
 * place in its source.
 */
function sharesOf(candidates: Candidate[], weights: Weights): { passage: number; sentence: number } {
  const all = [...weights.values()];
  const total = Math.min(sumOf(all), enoughOfRarest * Math.max(...all));
  const passages = new Map<number, Held>();
  let sentence = 0;
  for (const { index, own, place } of candidates) {
    const held = own.union(place);
    sentence = Math.max(sentence, weightOf(held, weights) / total);
    passages.set(index, (passages.get(index) ?? new Set()).union(held));
  }
  return { passage: Math.max(0, ...[...passages.values()].map((held) => weightOf(held, weights) / total)), sentence };
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const weightOf = (held: Held, weights: Weights): number => sumOf([...held].map((term) => weights.get(term) ?? 0));

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

/**
 * Splits a passage into candidates. An FAQ answer is a single candidate, and its question counts as much as its text;
 * other passages are split into sentences, with preceding headings and questions as context.
 */
function candidatesOf(passage: ModelPassage, index: number, heldIn: (text: string) => Held): Candidate[] {
  const place = heldIn(originOf(passage));
  if (passage.place.question) {
    const own = heldIn(`${passage.place.question} ${passage.text}`);
    return [{ index, order: 0, text: passage.text.trim(), own, place, share: shareOfWritten }];
  }
  let lead: Held = new Set();
  let isAfterText = false;
  return sentencesOf(passage.text).flatMap((text, order): Candidate[] => {
    const own = heldIn(text);
    // A heading after a sentence begins something else; one after a heading may be what that names.
    if (isHeading(text) && isAfterText) lead = new Set();
    isAfterText = !isHeading(text) && !isQuestion(text);
    const candidate = {
      index,
      order,
      text,
      own,
      place: place.union(lead),
      share: isHeading(text) ? 0.5 : 1,
    };
    if (isQuestion(text) || isHeading(text)) lead = own;
    return isQuestion(text) ? [] : [candidate];
  });
}

/** A question is no answer, but tells what the sentences after it are about. */
const isQuestion = (text: string): boolean => /[?？؟]["”»)]?$/.test(text) || /^#{1,6}\s/.test(text);

/** So does what looks like a heading, though it may also be the answer. */
const isHeading = (text: string): boolean => text.length <= 60 && !/[.!;:\d。！；：؟]|^[-*•]/.test(text);

type Weights = Map<QuestionTerm, number>;

/** The weight of a pair of letters that no sentence has: most of these span two words. */
const shareOfDoubtful = 0.3;

/** Rare terms weigh more than common ones, as in IDF. */
function weightsOf(terms: QuestionTerm[], candidates: Candidate[]): Weights {
  return new Map(
    terms.map((term) => {
      const matching = candidates.filter(({ own, place }) => own.has(term) || place.has(term)).length;
      const weight = Math.log(1 + (candidates.length + 1) / (matching + 1));
      return [term, matching === 0 && term.isPair ? weight * shareOfDoubtful : weight];
    }),
  );
}

function score({ index, own, place, share }: Candidate, weights: Weights): number {
  let points = 0;
  for (const [term, weight] of weights) {
    const isOwn = own.has(term);
    if (isOwn || place.has(term)) points += weight * (isOwn ? share : 0.6);
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

import { fold } from '../../text/fold.ts';
import { foldedWords, queryWords, termsOf as stemsOf } from '../../text/lexemes.ts';
import { piecesOf } from '../../text/unspaced.ts';
import { placeOf } from '../prompt/prompt.ts';
import { sentencesOf, squash, termsOf } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';
import { holdsAsked } from './asked-thing.ts';

/** A quote of a passage; `number` counts the passages from 1. */
type Quote = { number: number; passage: ModelPassage; text: string; words: string };
export type FoundAnswer = {
  quotes: Quote[];
  /** It is about what was asked for, and may not answer it. */
  close: boolean;
};

type Candidate = { index: number; order: number; text: string; own: Set<string>; around: Set<string>; share: number };

const mostQuotes = 3;
/** Of the words of a question, weighed by how rare they are, the best passage must hold so much; of a plain answer, so much. */
const leastShare = 0.26;
const plainShare = 0.36;
/** Of a long message, most words are not what it asks: as much as so many of its rarest word says is all of it. */
const enoughOfRarest = 5;
/** What follows a quoted sentence often has the answer. It makes a quote no longer than this, in characters. */
const longestQuote = 400;

/** The sentences of the passages that answer a question best, in their order; null when they speak of something else. */
export function findAnswer(question: string, passages: ModelPassage[], ignore: Set<string>): FoundAnswer | null {
  const asked = askedTerms(question, ignore);
  if (asked.size === 0) return null;
  const candidates = passages.flatMap(candidatesOf);
  const weights = weightsOf([...asked.values()], candidates);
  const scored = candidates.map((candidate) => ({ candidate, ...score(candidate, weights) }));
  const best = scored.reduce((top, next) => (next.points > top.points ? next : top), { points: 0 });
  const share = bestShare(candidates, weights);
  if (best.points === 0 || share < leastShare) return null;
  const kept = scored
    .filter(({ points }) => points >= best.points * 0.75)
    .sort((a, b) => b.points - a.points)
    .slice(0, mostQuotes)
    .map(({ candidate }) => candidate)
    .sort((a, b) => a.index - b.index || a.order - b.order);
  const quotes = joined(withNext(kept, candidates), passages);
  const isWritten = quotes.some(({ passage }) => passage.place.question);
  const isThere = isWritten || holdsAsked(question, quotes.map(({ text }) => text).join('\n'), share);
  return { quotes, close: share < plainShare || !isThere };
}

/** How much of the question the passage holds that holds the most of it, its place included. */
function bestShare(candidates: Candidate[], weights: Weights): number {
  const all = [...weights.values()];
  const sum = all.reduce((total, weight) => total + weight, 0);
  const total = Math.min(sum, enoughOfRarest * Math.max(...all));
  const held = Map.groupBy(candidates, ({ index }) => index);
  const shares = [...held.values()].map((sentences) => {
    const terms = sentences.reduce((all, { own, around }) => all.union(own).union(around), new Set<string>());
    return [...weights].reduce((sum, [forms, weight]) => sum + (holds(terms, forms) ? weight : 0), 0) / total;
  });
  return Math.max(0, ...shares);
}

/** What is quoted, and of each passage the sentence that follows what is quoted of it. */
function withNext(kept: Candidate[], candidates: Candidate[]): Candidate[] {
  const all = new Set(kept);
  for (const candidate of kept) {
    const next = candidates.find(({ index, order }) => index === candidate.index && order === candidate.order + 1);
    if (next && next.share === 1 && candidate.text.length + next.text.length <= longestQuote) all.add(next);
  }
  return [...all].sort((a, b) => a.index - b.index || a.order - b.order);
}

/** The words of a question, each with all that it may be in a text: its beginning, and its stems in three languages. */
type Asked = Map<string, string[]>;

function askedTerms(question: string, ignore: Set<string>): Asked {
  const asked: Asked = new Map();
  for (const { word, terms, isGrammar } of queryWords(question)) {
    const [own] = termsOf(word);
    if (!isGrammar && own !== undefined && !ignore.has(own)) asked.set(own, [own, ...terms]);
  }
  // Words of grammar that capitals make names of.
  for (const term of termsOf(question)) if (/^[A-Z]/.test(term)) asked.set(term, [term]);
  return asked;
}

/** The same of a text. */
const heldTerms = (text: string): Set<string> =>
  termsOf(text).union(new Set(foldedWords(fold(text)).flatMap(piecesOf).flatMap(stemsOf)));

const holds = (terms: Set<string>, forms: string[]): boolean => forms.some((form) => terms.has(form));

/** An answer of an faq is one candidate, and its question counts as much; other passages are cut into sentences, which headings and questions introduce. */
function candidatesOf(passage: ModelPassage, index: number): Candidate[] {
  const around = heldTerms(placeOf(passage));
  if (passage.place.question) {
    const own = heldTerms(`${passage.place.question} ${passage.text}`);
    return [{ index, order: 0, text: passage.text.trim(), own, around, share: 1.25 }];
  }
  let lead = new Set<string>();
  return sentencesOf(passage.text).flatMap((text, order): Candidate[] => {
    const own = heldTerms(text);
    const candidate = { index, order, text, own, around: around.union(lead), share: isHeading(text) ? 0.5 : 1 };
    if (isQuestion(text) || isHeading(text)) lead = own;
    return isQuestion(text) ? [] : [candidate];
  });
}

/** A question is not an answer, but says what the sentences after it are about. */
const isQuestion = (text: string): boolean => /\?["”»)]?$/.test(text) || /^#{1,6}\s/.test(text);

/** What looks like a heading says that too, and may yet be an answer. */
const isHeading = (text: string): boolean => text.length <= 60 && !/[.!;:\d]|^[-*•]/.test(text);

type Weights = Map<string[], number>;

/** Rare words say more about what is asked for than common ones. */
function weightsOf(asked: string[][], candidates: Candidate[]): Weights {
  return new Map(
    asked.map((forms) => {
      const holding = candidates.filter(({ own, around }) => holds(own, forms) || holds(around, forms)).length;
      return [forms, Math.log(1 + (candidates.length + 1) / (holding + 1))];
    }),
  );
}

function score({ index, own, around, share }: Candidate, weights: Weights): { points: number } {
  let points = 0;
  for (const [forms, weight] of weights) {
    const isOwn = holds(own, forms);
    if (isOwn || holds(around, forms)) points += weight * (isOwn ? share : 0.6);
  }
  // Passages come best first.
  return { points: points * (1 - Math.min(index, 9) * 0.03) };
}

/** Sentences that follow one another in a passage are one quote. */
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

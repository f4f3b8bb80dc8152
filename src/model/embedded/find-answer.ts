import { placeOf } from '../prompt/prompt.ts';
import { sentencesOf, squash, termsOf } from '../reply/text.ts';
import type { ModelPassage } from '../types.ts';

/** A quote of a passage; `number` counts the passages from 1. */
type Quote = { number: number; passage: ModelPassage; text: string; words: string };
export type FoundAnswer = {
  quotes: Quote[];
  /** Less than half of what was asked for is in it. */
  close: boolean;
};

type Candidate = { index: number; order: number; text: string; own: Set<string>; around: Set<string>; share: number };

const mostQuotes = 3;

/** The sentences of the passages that answer a question best, in their order; null when they speak of something else. */
export function findAnswer(question: string, passages: ModelPassage[], ignore: Set<string>): FoundAnswer | null {
  const asked = [...termsOf(question)].filter((term) => !ignore.has(term));
  if (asked.length === 0) return null;
  const candidates = passages.flatMap(candidatesOf);
  const weights = weightsOf(asked, candidates);
  const scored = candidates.map((candidate) => ({ candidate, ...score(candidate, weights) }));
  const best = scored.reduce((top, next) => (next.points > top.points ? next : top), { points: 0, matched: 0 });
  if (best.points === 0 || best.matched < asked.length / 3) return null;
  const kept = scored
    .filter(({ points }) => points >= best.points * 0.75)
    .sort((a, b) => b.points - a.points)
    .slice(0, mostQuotes)
    .map(({ candidate }) => candidate)
    .sort((a, b) => a.index - b.index || a.order - b.order);
  return { quotes: joined(kept, passages), close: best.matched < asked.length / 2 };
}

/** An answer of an faq is one candidate, and its question counts as much; other passages are cut into sentences, which headings and questions introduce. */
function candidatesOf(passage: ModelPassage, index: number): Candidate[] {
  const around = termsOf(placeOf(passage));
  if (passage.place.question) {
    const own = termsOf(`${passage.place.question} ${passage.text}`);
    return [{ index, order: 0, text: passage.text.trim(), own, around, share: 1.25 }];
  }
  let lead = new Set<string>();
  return sentencesOf(passage.text).flatMap((text, order): Candidate[] => {
    const own = termsOf(text);
    const candidate = { index, order, text, own, around: around.union(lead), share: isHeading(text) ? 0.5 : 1 };
    if (isQuestion(text) || isHeading(text)) lead = own;
    return isQuestion(text) ? [] : [candidate];
  });
}

/** A question is not an answer, but says what the sentences after it are about. */
const isQuestion = (text: string): boolean => /\?["”»)]?$/.test(text) || /^#{1,6}\s/.test(text);

/** What looks like a heading says that too, and may yet be an answer. */
const isHeading = (text: string): boolean => text.length <= 60 && !/[.!;:\d]|^[-*•]/.test(text);

/** Rare words say more about what is asked for than common ones. */
function weightsOf(asked: string[], candidates: Candidate[]): Map<string, number> {
  return new Map(
    asked.map((term) => {
      const holding = candidates.filter(({ own, around }) => own.has(term) || around.has(term)).length;
      return [term, Math.log(1 + (candidates.length + 1) / (holding + 1))];
    }),
  );
}

function score(
  { index, own, around, share }: Candidate,
  weights: Map<string, number>,
): { points: number; matched: number } {
  let points = 0;
  let matched = 0;
  for (const [term, weight] of weights) {
    if (!own.has(term) && !around.has(term)) continue;
    matched++;
    points += weight * (own.has(term) ? share : 0.6);
  }
  // Passages come best first.
  return { points: points * (1 - Math.min(index, 9) * 0.03), matched };
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

import { holds, isIn } from '../entailment/entails.ts';
import type { Source, Unit } from '../entailment/source.ts';
import type { Clause, Statement } from '../entailment/statement.ts';
import type { Token } from '../entailment/tokens.ts';
import { squash } from '../reply/text.ts';

/** A passage that may be quoted: its number in the prompt, and the question that it answers, if any. */
export type Quotable = { number: number; source: Source; question: string | null };

/** Of a sentence that cites no passage, this share must stand in the sentence that is quoted. */
const minShare = 0.6;
/** The mark of a list item, a quote or a heading. */
const lineMark = /^(?:[-*•>]|#{1,6}|\d+[.)])\s+/;

/**
 * The sentences of passages that a statement rests on, in their own words and order, each with its mark; null if it shares
 * nothing with any. `chosen`: words of a passage that it quotes.
 */
export function quoteFor(
  statement: Statement,
  passages: Quotable[],
  { isCited, chosen }: { isCited: boolean; chosen: string[] },
): string[] | null {
  const found = new Map<string, { number: number; index: number; text: string }>();
  for (const clause of statement.clauses) {
    const best = bestFor(clause, passages, isCited ? 0 : minShare) ?? bestOf(chosen, passages);
    if (best) found.set(best.text, best);
  }
  if (found.size === 0) return null;
  return [...found.values()]
    .toSorted((one, other) => one.number - other.number || one.index - other.index)
    .map(({ text, number }) => text.replace(sentenceEnd, (end) => ` [${number}]${end}`));
}

function bestFor(clause: Clause, passages: Quotable[], least: number) {
  const total = weightOf(clause.tokens);
  let best: { number: number; index: number; text: string; weight: number } | null = null;
  for (const passage of passages) {
    for (const [index, unit] of sentencesOf(passage.source)) {
      const held = clause.tokens.filter((token) => holds(unit, token));
      // A word of its title alone does not choose a sentence.
      if (!held.some((token) => isIn(unit, token))) continue;
      const weight = weightOf(held);
      if (weight < total * least || weight <= (best?.weight ?? 0)) continue;
      best = { number: passage.number, index, text: told(passage, unit, index), weight };
    }
  }
  return best;
}

/** The first sentence with words that the reply quotes, as of a passage in another language. */
function bestOf(chosen: string[], passages: Quotable[]) {
  for (const passage of passages) {
    const found = sentencesOf(passage.source).find(([, { text }]) =>
      chosen.some((quote) => squash(text).includes(quote)),
    );
    if (found) return { number: passage.number, index: found[0], text: told(passage, found[1], found[0]) };
  }
  return null;
}

/** The whole sentences of a source. */
const sentencesOf = ({ units }: Source): [number, Unit][] =>
  units.flatMap((unit, index) => (unit.isPair || units[index - 1]?.text === unit.text ? [] : [[index, unit]]));

const weightOf = (tokens: Token[]): number => tokens.reduce((sum, { kind }) => sum + (kind === 'term' ? 1 : 2), 0);

/** A sentence as it is told, behind the question that it answers. */
function told({ question }: Quotable, { text }: Unit, index: number): string {
  const sentence = squash(text.replace(lineMark, ''));
  const whole = question && index === 0 ? `${question} ${sentence}` : sentence;
  return /[.!?…:;|]["”»)\]]?$/.test(whole) ? whole : `${whole}.`;
}

/** Where the mark stands: before the full stop. */
const sentenceEnd = /[.!?…:;|]?["”»)\]]?$/;

import { differenceOf, isIn, maxMissing, missingOf, type Rule, weightOf } from '../entailment/entails.ts';
import type { Source, Unit } from '../entailment/source.ts';
import type { Statement } from '../entailment/statement.ts';
import type { Token } from '../entailment/tokens.ts';
import { collapseSpaces } from '../reply/text.ts';

/** A passage that may be quoted: its number in the prompt, and the question that it answers, if any. */
export type Quotable = { number: number; source: Source; question: string | null };

/**
 * A sentence of a passage that a clause of a statement rests on. `rule`: what shows that the clause does not say the
 * same, or no more than the same; null where nothing does. `at`: which clause.
 */
export type Support = { at: number; passage: Quotable; index: number; unit: Unit; rule: Rule | null; isWhole: boolean };

type Found = Omit<Support, 'at' | 'rule' | 'isWhole'>;

/** Of a sentence that cites no passage, this share must stand in the sentence that it rests on. */
const minShare = 0.6;
/** The mark of a list item, a quote or a heading. */
const lineMark = /^(?:[-*•>]|#{1,6}|\d+[.)])\s+/;

/**
 * The sentence that each clause of a statement rests on; none for a clause that shares nothing with any. `chosen`:
 * words of a passage that it quotes, which stand for a clause in another language.
 */
export function supportOf(
  { clauses }: Statement,
  passages: Quotable[],
  { isCited, chosen }: { isCited: boolean; chosen: string[] },
): Support[] {
  const all = passages.map((passage) => ({ passage, sentences: sentencesOf(passage.source) }));
  return clauses.flatMap((clause, at) => {
    const total = weightOf(clause.tokens);
    let best: Found | null = null;
    let most = isCited ? 0 : total * minShare - 1e-9;
    for (const { passage, sentences } of all) {
      for (const [index, unit] of sentences) {
        const weight = weightIn(unit, clause.tokens);
        if (weight > most) {
          most = weight;
          best = { passage, index, unit };
        }
      }
    }
    const translated = best ? null : quoted(chosen, passages);
    const found = best ?? translated;
    if (!found) return [];
    const isWhole = missingOf(clause, found.unit).length <= clause.tokens.length * maxMissing;
    const rule = differenceOf(clause, found.unit);
    // Of another language, only facts can be compared.
    return [{ ...found, at, rule: translated && rule !== 'fact' ? null : rule, isWhole }];
  });
}

/** What a unit has of some tokens; a word of its title alone does not choose it. */
function weightIn(unit: Unit, tokens: Token[]): number {
  const isOwn = tokens.map((token) => isIn(unit, token));
  return isOwn.includes(true) ? weightOf(tokens.filter((token, at) => isOwn[at] || isIn(unit.context, token))) : 0;
}

/** The sentences of passages, in their own words and order, each with its mark. */
export function quotesOf(supports: Support[]): string[] {
  const found = new Map(supports.map((support) => [quoteOf(support), support]));
  return [...found]
    .toSorted(([, one], [, other]) => one.passage.number - other.passage.number || one.index - other.index)
    .map(([text, { passage }]) =>
      passage.number > 0 ? text.replace(sentenceEnd, (end) => ` [${passage.number}]${end}`) : text,
    );
}

/** The first sentence with words that the reply quotes. */
function quoted(chosen: string[], passages: Quotable[]): Found | null {
  if (chosen.length === 0) return null;
  for (const passage of passages) {
    const found = sentencesOf(passage.source).find(([, { text }]) =>
      chosen.some((quote) => collapseSpaces(text).includes(quote)),
    );
    if (found) return { passage, index: found[0], unit: found[1] };
  }
  return null;
}

/** The whole sentences of a source. */
const sentencesOf = ({ units }: Source): [number, Unit][] =>
  units.flatMap((unit, index) => (unit.isPair || units[index - 1]?.text === unit.text ? [] : [[index, unit]]));

/** The sentence as a quote, behind the question that it answers. */
function quoteOf({ passage: { question }, unit: { text }, index }: Support): string {
  const sentence = collapseSpaces(text.replace(lineMark, ''));
  const whole = question && index === 0 ? `${question} ${sentence}` : sentence;
  return /[.!?…:;|]["”»)\]]?$/.test(whole) ? whole : `${whole}.`;
}

/** Where the mark stands: before the full stop. */
const sentenceEnd = /[.!?…:;|]?["”»)\]]?$/;

import { squash } from '../reply/text.ts';
import { holds } from './entails.ts';
import type { Source } from './source.ts';
import type { Statement } from './statement.ts';
import type { Token } from './tokens.ts';

/**
 * Whether a statement in another language than its source may translate the sentences that it quotes: the words cannot be
 * compared, but the amounts, dates, names, links, negations and the number of things that are said.
 */
export function mayTranslate({ tokens, clauses, negations }: Statement, source: Source, quotes: string[]): boolean {
  const quoted = source.units.filter(
    ({ text, isPair }) => !isPair && quotes.some((quote) => squash(text).includes(quote)),
  );
  return quoted.some(
    (unit) =>
      negations % 2 === unit.negations % 2 &&
      clauses.length <= Math.max(1, unit.clauses.length) &&
      tokens.length <= 2 * unit.tokens.length + 2 &&
      tokens.every(
        (token) => !isComparable(token) || holds(unit, token) || (token.kind === 'name' && isAlike(token, unit.tokens)),
      ),
  );
}

const isComparable = (token: Token): boolean => (token.kind === 'term' ? token.keys.includes('!free') : true);

/** Lisbon and Lisboa, Brasil and Brazil. */
const isAlike = ({ word }: Token, others: Token[]): boolean =>
  word.length >= 4 && others.some((other) => other.word.slice(0, 3) === word.slice(0, 3));

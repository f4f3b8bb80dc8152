import { isSameDate } from './calendar.ts';
import { isSameAmount } from './measures.ts';
import type { Source, Unit } from './source.ts';
import type { Clause, Statement } from './statement.ts';
import type { Token } from './tokens.ts';
import { boundGroup, isChannel } from './vocabulary.ts';

/**
 * What shows that a clause does not say what a sentence says: a number, date, name or link that is not in it; a
 * negation; a word that excludes one of its words, such as a bound; a condition that one of them has; names or amounts
 * in other places; or `wording`: so many words are the same that the sentence can be quoted instead.
 */
export type Rule = 'fact' | 'negation' | 'opposite' | 'condition' | 'order' | 'wording';

/** From this share of the words of both on, a clause repeats a sentence. */
const repeats = 0.6;
/** The share of its words that a clause may have of its own, and still be backed. */
export const maxMissing = 0.34;

export function differenceOf(clause: Clause, unit: Unit): Rule | null {
  const held = clause.tokens.filter((token) => holds(unit, token));
  const missing = missingOf(clause, unit);
  if (missing.some(isStrict)) return 'fact';
  if (missing.some((token) => isExcluded(token, unit)) || isOneBound(clause, unit)) return 'opposite';
  if (!isAsNegated(clause, unit)) return 'negation';
  if (clause.conditions === 0 && unit.conditions > 0) return 'condition';
  if (!isNamed(held, unit) || !isTogether(held, unit) || !isInOrder(held, unit)) return 'order';
  const own = held.filter((token) => isIn(unit, token));
  return own.length >= clause.tokens.length * repeats && own.length >= unit.tokens.length * repeats ? 'wording' : null;
}

/** What a clause says that a sentence does not; how somebody is reached goes without saying beside the address. */
export function missingOf({ tokens }: Clause, unit: Unit): Token[] {
  const hasLink = tokens.some((token) => token.kind === 'link' && holds(unit, token));
  return tokens.filter((token) => !holds(unit, token) && !(hasLink && isChannel(token.word)));
}

/** A bound that one of them has, and the other an amount without it. */
const isOneBound = (clause: Clause, unit: Unit): boolean =>
  clause.tokens.some(({ kind }) => kind === 'amount') && clause.tokens.some(isBound) !== unit.tokens.some(isBound);

const isBound = (token: Token): boolean => token.kind === 'term' && token.side?.group === boundGroup;

/** Whether a source says what each clause of a statement says. */
export function isEntailed(statement: Statement, source: Source): boolean {
  const { tokens, clauses } = statement;
  const says = (clause: Clause) => source.units.some((unit) => unitSays(clause, unit, source));
  return tokens.length > 0 && (clauses.every(says) || (clauses.length > 1 && says(statement)));
}

function unitSays(clause: Clause, unit: Unit, source: Source): boolean {
  const missing = missingOf(clause, unit);
  if (missing.length > clause.tokens.length * maxMissing || missing.length === clause.tokens.length) return false;
  if (missing.some((token) => token.keys.some((key) => source.keys.has(key)))) return false;
  const rule = differenceOf(clause, unit);
  return (rule === null || rule === 'wording') && clause.tokens.some((token) => isIn(unit, token));
}

/** Whether the sources have all amounts, dates, names and links of a statement, wherever they stand there. */
export const hasFacts = ({ tokens }: Statement, sources: Source[]): boolean =>
  tokens.length > 0 &&
  tokens.every((token) => !isStrict(token) || sources.some(({ units }) => units.some((unit) => holds(unit, token))));

/** What a source must say itself: anything but an ordinary word. */
const isStrict = (token: Token): boolean => token.kind !== 'term' || token.isPromise || token.isInitial;

/** Where a sentence names somebody, a name of its title or heading alone does not stand for them. */
function isNamed(held: Token[], unit: Unit): boolean {
  const names = held.filter(isName);
  return names.length === 0 || !unit.tokens.some(isName) || names.some((name) => isIn(unit, name));
}

const isName = ({ kind }: Token): boolean => kind === 'name';

/** Whether a unit has a word that excludes this one, and not this one. */
const isExcluded = (token: Token, { sides }: Unit): boolean =>
  token.kind === 'term' && token.side !== null && (sides.get(token.side.group)?.size ?? 0) > 0;

const holds = (unit: Unit, token: Token): boolean => isIn(unit, token) || isIn(unit.context, token);

type Held = Pick<Unit, 'keys' | 'words' | 'tokens' | 'sides'>;

/** Whether a part of a source says a token itself, not only its title or heading. */
export function isIn({ keys, words, tokens, sides }: Held, token: Token): boolean {
  switch (token.kind) {
    case 'term': {
      const known = token.side && sides.get(token.side.group);
      if (known && known.size > 0) return known.has(token.side?.side ?? -1);
      return token.keys.some((key) => keys.has(key));
    }
    case 'name':
      return words.has(token.word) || token.keys.some((key) => keys.has(key));
    case 'link':
      return words.has(token.word) || tokens.some(({ kind, word }) => kind === 'link' && word === token.word);
    case 'amount':
    case 'date':
    case 'time':
    case 'weekday':
      return tokens.some((other) => isSame(token, other)) || token.keys.some((key) => keys.has(key));
  }
}

/** Whether two amounts, dates, times or days are the same. */
function isSame(said: Token, known: Token): boolean {
  if (said.kind === 'weekday') return known.kind === 'weekday' && known.day === said.day;
  if (said.kind === 'date') return known.kind === 'date' && isSameDate(said.date, known.date);
  if (said.kind === 'time') return known.kind === 'time' ? known.minutes === said.minutes : isHour(known, said.minutes);
  if (said.kind !== 'amount') return false;
  if (known.kind === 'date') return said.unit === null && known.date.year === said.value;
  if (known.kind === 'time') return isHour(said, known.minutes);
  if (known.kind !== 'amount') return false;
  if (said.unit === null) return said.value === known.value;
  return known.unit !== null && isSameAmount(said.value, said.unit, known.value, known.unit);
}

/** "9" beside "9:00" and "9 pm", "9 hours" beside "9h". */
const isHour = (token: Token, minutes: number): boolean =>
  token.kind === 'amount' &&
  (token.unit === null || (token.unit.dimension === 'time' && token.unit.factor === 3_600)) &&
  (token.value * 60 === minutes || (token.unit === null && token.value * 60 + 720 === minutes));

/** A statement denies what its source denies; a source that denies one thing and affirms another is read by clauses. */
const isAsNegated = (clause: Clause, { clauses, negations }: Unit): boolean =>
  (clauses.length <= 1 || negations === 0) && clause.negations % 2 === negations % 2;

/** Amounts and names belong to what stands in their own clause of the source. */
function isTogether(held: Token[], unit: Unit): boolean {
  if (unit.clauses.length < 2) return true;
  return held.every((token) => {
    if ((token.kind === 'term' && !token.isInitial) || isIn(unit.context, token)) return true;
    const others = held.filter((other) => other !== token && isIn(unit, other));
    return unit.clauses.some(
      (part) => isIn(part, token) && weightOf(others.filter((other) => isIn(part, other))) * 2 >= weightOf(others),
    );
  });
}

/** Numbers and names weigh more than words. */
export const weightOf = (tokens: Token[]): number =>
  tokens.reduce((sum, { kind }) => sum + (kind === 'term' ? 1 : 2), 0);

/** Two names, or two amounts of a kind, that changed places may have changed what is said. */
function isInOrder(held: Token[], unit: Unit): boolean {
  const indexOf = (token: Token) =>
    unit.tokens.findIndex((other) => (isName(token) ? other.word === token.word : isSame(token, other)));
  const positions = held
    .filter(({ kind }) => kind === 'name' || kind === 'amount')
    .map((token) => ({ token, index: indexOf(token) }))
    .filter(({ index }) => index >= 0);
  return positions.every(({ token, index }, at) => {
    const next = positions.slice(at + 1).find((other) => isOfKind(other.token, token));
    return !next || next.index >= index;
  });
}

const isOfKind = (one: Token, other: Token): boolean =>
  one.kind === other.kind &&
  (one.kind !== 'amount' || other.kind !== 'amount' || one.unit?.dimension === other.unit?.dimension);

import { isSameDate } from './calendar.ts';
import { isSameAmount } from './measures.ts';
import type { Source, Unit } from './source.ts';
import { type Clause, joinedClause, type Statement } from './statement.ts';
import type { Token } from './tokens.ts';
import { isChannel } from './vocabulary.ts';

/** How freely a statement may be worded: one that quotes its source more than one that does not. */
export type Freedom = { missing: number; ofOthers: number };
export const quoting: Freedom = { missing: 0.4, ofOthers: 0.2 };
export const unquoted: Freedom = { missing: 0.34, ofOthers: 0 };

/** Whether one of the sources says what each clause of a statement says. */
export function isEntailed(statement: Statement, sources: Source[], freedom: Freedom): boolean {
  if (statement.tokens.length === 0) return false;
  const covers = (clause: Clause, ofOthers = freedom.ofOthers) =>
    sources.some((source) => saysClause(clause, source, { ...freedom, ofOthers }));
  if (statement.clauses.length < 2) return covers(joinedClause(statement));
  return statement.clauses.every((clause) => covers(clause)) || covers(joinedClause(statement), 0);
}

/** Whether the sources have all amounts, dates, names and links of a statement, wherever they stand there. */
export const hasFacts = ({ tokens }: Statement, sources: Source[]): boolean =>
  tokens.length > 0 &&
  tokens.every((token) => !isStrict(token) || sources.some(({ units }) => units.some((unit) => holds(unit, token))));

const saysClause = (clause: Clause, source: Source, freedom: Freedom): boolean =>
  source.units.some((unit) => unitSays(clause, unit, source, freedom));

function unitSays(clause: Clause, unit: Unit, source: Source, freedom: Freedom): boolean {
  const { tokens } = clause;
  const held = tokens.filter((token) => holds(unit, token));
  if (!held.some((token) => isIn(unit, token))) return false;
  const hasLink = held.some(({ kind }) => kind === 'link');
  const missing = tokens.filter((token) => !held.includes(token) && !(hasLink && isChannel(token.word)));
  if (missing.some((token) => isStrict(token) || isExcluded(token, unit))) return false;
  const others = missing.filter((token) => token.keys.some((key) => source.keys.has(key)));
  if (missing.length > tokens.length * freedom.missing || others.length > tokens.length * freedom.ofOthers)
    return false;
  return (
    (clause.fragments.length < 2 || clause.fragments.every((fragment) => isAnchored(fragment, missing))) &&
    isNamed(held, unit) &&
    isAsNegated(clause, unit) &&
    isTogether(held, unit) &&
    isInOrder(held, unit)
  );
}

/** What a source must say itself: anything but an ordinary word. */
const isStrict = (token: Token): boolean => token.kind !== 'term' || token.isPromise || token.isInitial;

/** What is appended after a comma or an "and" has words of the source too. */
const isAnchored = (fragment: Token[], missing: Token[]): boolean =>
  fragment.filter((token) => missing.includes(token)).length * 2 < fragment.length;

/** Where a sentence names somebody, a name of its title or heading alone does not stand for them. */
function isNamed(held: Token[], unit: Unit): boolean {
  const names = held.filter(({ kind }) => kind === 'name');
  const own = unit.tokens.filter(({ kind }) => kind === 'name');
  return own.length === 0 || names.length === 0 || names.some((name) => isIn(unit, name));
}

/** Whether a unit has a word that excludes this one, and not this one. */
const isExcluded = (token: Token, { sides }: Unit): boolean =>
  token.kind === 'term' && token.side !== null && (sides.get(token.side.group)?.size ?? 0) > 0;

export const holds = (unit: Unit, token: Token): boolean => isIn(unit, token) || isIn(unit.context, token);

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

/** A statement denies what its source denies; where a source denies one thing and affirms another, word by word. */
function isAsNegated(clause: Clause, { clauses, negations }: Unit): boolean {
  if (clauses.length <= 1 || negations === 0) return clause.negations % 2 === negations % 2;
  return false;
}

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

const weightOf = (tokens: Token[]): number => tokens.reduce((sum, { kind }) => sum + (kind === 'term' ? 1 : 2), 0);

const agents = /^(?:by|por|pelo|pela|pelos|pelas)$/;

/** Two names, or two amounts of a kind, that changed places changed what is said, unless what introduces them did too. */
function isInOrder(held: Token[], unit: Unit): boolean {
  const placed = held
    .filter(({ kind }) => kind === 'name' || kind === 'amount')
    .flatMap((token) => {
      const index = unit.tokens.findIndex((other) =>
        token.kind === 'name' ? other.word === token.word : isSame(token, other),
      );
      return index < 0 ? [] : [{ token, index, before: unit.tokens[index]?.before ?? '' }];
    });
  return placed.every(({ token, index, before }, at) => {
    const next = placed.slice(at + 1).find((other) => isOfKind(other.token, token));
    if (!next || next.index >= index) return true;
    const isSwapped = before === next.before || (token.before !== before && next.token.before !== next.before);
    const isList =
      /^(?:and|or|e|y|ou|o|,)$/.test(next.token.before) || isPassive(token, next.token) !== isPassive({ before }, next);
    return !isSwapped || isList;
  });
}

const isPassive = (one: { before: string }, other: { before: string }): boolean =>
  agents.test(one.before) || agents.test(other.before);

const isOfKind = (one: Token, other: Token): boolean =>
  one.kind === other.kind &&
  (one.kind !== 'amount' || other.kind !== 'amount' || one.unit?.dimension === other.unit?.dimension);

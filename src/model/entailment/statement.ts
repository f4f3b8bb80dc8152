import type { MainLanguage } from '../../text/language.ts';
import { type Item, itemsOf, type Token } from './tokens.ts';
import { isPredicate } from './vocabulary.ts';

/** A part of a sentence with its own negation. `conditions`: how many the whole sentence has. */
export type Clause = { tokens: Token[]; negations: number; conditions: number };

/** A sentence in clauses. */
export type Statement = Clause & { clauses: Clause[] };

/** `opening`: what is before it; `double` for a comma and an "and". */
type Part = { items: Item[]; opening: 'none' | 'weak' | 'double' | 'strong' };

/** Reads a sentence into clauses. */
export function statementOf(sentence: string, language: MainLanguage | null): Statement {
  const groups: Part[][] = [];
  const items = itemsOf(sentence, language);
  const conditions = items.reduce((sum, item) => sum + (item.kind === 'break' ? (item.conditions ?? 0) : 0), 0);
  for (const part of partsOf(items)) {
    const last = groups.at(-1);
    if (last && !isApart(last, part)) last.push(part);
    else groups.push([part]);
  }
  const clauses = groups
    .map((parts) => clauseOf(parts, conditions))
    .filter(({ tokens, negations }) => tokens.length > 0 || negations > 0);
  return joined(clauses, conditions);
}

/** Clauses as one statement. */
export const joined = (clauses: Clause[], conditions: number): Statement => ({
  clauses,
  tokens: clauses.flatMap(({ tokens }) => tokens),
  negations: clauses.reduce((sum, { negations }) => sum + negations, 0),
  conditions,
});

function partsOf(items: Item[]): Part[] {
  const parts: Part[] = [{ items: [], opening: 'none' }];
  for (const item of items) {
    const last = parts.at(-1) as Part;
    if (item.kind !== 'break') last.items.push(item);
    else if (last.items.length > 0) parts.push({ items: [], opening: item.strong ? 'strong' : 'weak' });
    else if (parts.length > 1 && last.opening !== 'strong') last.opening = item.strong ? 'strong' : 'double';
  }
  return parts.filter(({ items }) => items.length > 0).reduce<Part[]>(withIntroduction, []);
}

/** ", and on Monday, …": what introduces a clause is a part of it. */
function withIntroduction(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1);
  const introduces =
    last && (last.opening === 'double' || last.opening === 'strong') && last.items.filter(isToken).length === 1;
  if (introduces && part.opening === 'weak') last.items.push(...part.items);
  else parts.push(part);
  return parts;
}

const isToken = (item: Item): item is Token => item.kind !== 'not' && item.kind !== 'break';
const isMeasure = ({ kind }: Token): boolean => kind === 'amount' || kind === 'time' || kind === 'date';
const isWord = ({ kind }: Token): boolean => kind === 'term' || kind === 'name';

/** Whether a part begins a clause of its own, and does not go on with a list or with what introduces it. */
function isApart(parts: Part[], { items, opening }: Part): boolean {
  const before = parts.flatMap((part) => part.items);
  const [left, right] = [before.filter(isToken), items.filter(isToken)];
  if (left.length === 0 || right.length === 0) return false;
  if (opening === 'strong') return true;
  const [last, next] = [left.at(-1) as Token, right[0] as Token];
  if (last.kind === next.kind && last.kind !== 'term' && listed.test(next.before)) return false;
  if (items[0]?.kind === 'not' && before.some(isTerm)) return true;
  if (opening === 'double' && left.length >= 2 && right.length >= 2) return true;
  if (goesOn(next)) return false;
  if (left.filter(isWord).length >= 2 && right.filter(isWord).length >= 2) return true;
  if (left.some(isMeasure) && right.some(isMeasure)) return true;
  const isNamed = (tokens: Token[]) => tokens.some(({ kind }) => kind === 'name') && tokens.length > 1;
  return isNamed(left) && isNamed(right);
}

/** What stands before the next of a list: "Monday and the Friday". */
const listed = /^(?:and|or|e|y|ou|o|,|the|a|os|as|los|las|el|la)$/;

/** Whether a part says more of the same subject: "costs $9 and holds 20 GB". */
const goesOn = (first: Token): boolean => first.opens && (isPredicate(first.word) || isMeasure(first));

const isTerm = (item: Item): boolean => item.kind === 'term';

function clauseOf(parts: Part[], conditions: number): Clause {
  let negations = 0;
  for (const item of parts.flatMap(({ items }) => items)) {
    if (item.kind === 'not' && !(item.concord && negations > 0)) negations++;
  }
  return { tokens: parts.flatMap(({ items }) => items.filter(isToken)), negations, conditions };
}

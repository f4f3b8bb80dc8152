import { storedEmail } from '../core/contacts/emails.ts';
import { storedPhone } from '../core/contacts/phones.ts';
import { invalid } from '../core/errors.ts';
import { grouped } from '../core/validation.ts';
import type { Where } from '../database/query/delegate.ts';
import { all, any, matchAll, matchNone, noCondition, not } from './conditions.ts';
import { FoldedText } from './folded.ts';
import { conditionsOnKey, type KeyCondition } from './json-key.ts';
import { type FilterColumn, ruleOf } from './list.ts';
import { permitNumbers } from './list-access.ts';
import { type Bounds, boundsOf, type QueryContext, type Range } from './time/moments.ts';

/** A filter argument: values by the names of the rule's filters, and nested filters under `and`, `or` and `not`. */
export type Filter = Record<string, unknown>;

/** Maximum number of values per list, and in all lists of a filter together: each is a parameter of the statement. */
export const maxValues = 1_000;
const maxTotalValues = 5_000;
/** Maximum number of conditions of a filter, and maximum nesting of `and`, `or` and `not`. */
export const maxConditions = 100;
export const maxDepth = 10;

/** A filter argument of groups: ratios meet the operators beside what they are of, in a column that may be null. */
type RatioFilter = { kind: 'ratio'; columnOf: (of: never) => string };
/** What a filter is of: a list, or its groups. */
export type Filtered = { filters: Record<string, FilterColumn | RatioFilter> };

/**
 * Converts a filter to a condition, or to null if it is empty. Throws 400 `invalid_request` naming the key within the
 * argument `name`.
 */
export function filterCondition(
  rule: Filtered,
  filter: Filter | null | undefined,
  context: QueryContext,
  name = 'filter',
): Where | null {
  if (!filter) return null;
  const where = new FilterReader(context, name).read(rule, filter, {
    name,
    depth: 0,
    isNegated: false,
    isRelated: false,
  });
  return where === matchAll ? null : where;
}

/** The position of a part within a filter. */
type FilterPosition = {
  name: string;
  depth: number;
  /** Within a `not`, where a condition on a missing value must be false rather than unknown. */
  isNegated: boolean;
  isRelated: boolean;
};

class FilterReader {
  readonly #context: QueryContext;
  readonly #argument: string;
  #conditions = 0;
  #values = 0;

  constructor(context: QueryContext, argument: string) {
    this.#context = context;
    this.#argument = argument;
  }

  read(rule: Filtered, filter: Filter, position: FilterPosition): Where {
    if (position.depth > maxDepth)
      throw invalid(`${this.#argument}: and, or and not may be nested at most ${maxDepth} deep.`);
    return all(
      Object.entries(filter).map(([key, value]) => {
        if (value === undefined) return matchAll;
        const at = { ...position, name: `${position.name}.${key}` };
        if (value === null) throw noCondition(at.name, alternativeTo(rule, key));
        this.#count();
        return key === 'and' || key === 'or' || key === 'not'
          ? this.#joined(rule, key, value, { ...at, depth: position.depth + 1 })
          : this.#condition(rule, key, value, at);
      }),
    );
  }

  #count(): void {
    this.#conditions += 1;
    if (this.#conditions > maxConditions)
      throw invalid(`${this.#argument}: must have at most ${grouped(maxConditions)} conditions.`);
  }

  #joined(rule: Filtered, word: 'and' | 'or' | 'not', value: unknown, position: FilterPosition): Where {
    if (word === 'not') return not(this.read(rule, value as Filter, { ...position, isNegated: true }));
    const parts = (value as Filter[]).map((part) => this.read(rule, part, position));
    this.#conditions += parts.length;
    return word === 'and' ? all(parts) : any(parts);
  }

  #condition(rule: Filtered, key: string, value: unknown, position: FilterPosition): Where {
    const filter = rule.filters[key];
    if (!filter) return matchAll;
    this.#countValues(value, position.name);
    if (filter.kind === 'relation') return this.#related(filter, value as Filter, position);
    if (filter.kind === 'ratio') return this.#ratios(filter.columnOf, value as object[], position);
    if (filter.kind === 'keys') return this.#keys(filter.column, value as KeyCondition[], position);
    return this.#compared(filter, value, position);
  }

  #compared(filter: Comparable, value: unknown, { name, isNegated }: FilterPosition): Where {
    return all(
      conditionsOn(filter, value, { name, context: this.#context }).map((where) =>
        isNegated && 'nullable' in filter && filter.nullable ? notNull(filter.column, where) : where,
      ),
    );
  }

  #ratios(columnOf: RatioFilter['columnOf'], ratios: object[], position: FilterPosition): Where {
    return all(
      ratios.map((given, index) => {
        const { of, to, ofFilter, toFilter, ...operators } = given as Filter;
        const name = `${position.name}.${index}`;
        this.#count();
        this.#countValues(operators, name);
        const column = columnOf({ of, to, ofFilter, toFilter } as never);
        return this.#compared({ kind: 'number', column, nullable: true }, operators, { ...position, name });
      }),
    );
  }

  #keys(column: string, conditions: KeyCondition[], { name }: FilterPosition): Where {
    return all(
      conditions.flatMap((condition, index) => {
        this.#count();
        return conditionsOnKey(condition, `${name}.${index}`).map(({ condition, isNot }) =>
          isNot ? not({ [column]: condition }) : { [column]: condition },
        );
      }),
    );
  }

  #countValues(value: unknown, name: string): void {
    const lists = Array.isArray(value) ? [value] : Object.values(value as object).filter(Array.isArray);
    for (const { length } of lists) {
      if (length > maxValues)
        throw invalid(`${name}: must have at most ${grouped(maxValues)} values, got ${grouped(length)}`);
      this.#values += length;
      if (this.#values > maxTotalValues)
        throw invalid(`${this.#argument}: must have at most ${grouped(maxTotalValues)} values in all.`);
    }
  }

  /** A related row must be visible to the viewer, and match the filter of its own list. */
  #related(filter: FilterColumn & { kind: 'relation' }, value: Filter, position: FilterPosition): Where {
    const { relation, model, isMany } = filter;
    if (position.isRelated) throw invalid(`${position.name}: a filter can follow one relation, not two.`);
    const rule = ruleOf(model);
    permitNumbers(this.#context, rule, { filter: value }, position.name);
    const where = all([rule.rows(this.#context.viewer), this.read(rule, value, { ...position, isRelated: true })]);
    return { [relation]: isMany ? { some: where } : { is: where } };
  }
}

/** Says how to ask for rows without a value of a column. */
function alternativeTo({ filters }: Filtered, key: string): string | null {
  const filter = filters[key];
  if (!filter || !('nullable' in filter)) return null;
  if (filter.kind === 'text' || filter.kind === 'number') return `${key}: {isNull: true}`;
  const present = Object.entries(filters).find(([, one]) => one.kind === 'present' && one.column === filter.column);
  return present ? `${present[0]}: false` : null;
}

/** Makes a condition on a column false, rather than unknown, for rows without a value. */
function notNull(column: string, where: Where): Where {
  return where === matchAll || where[column] === null ? where : all([{ [column]: { not: null } }, where]);
}

/** A filter by the value of one column. */
type Comparable = Exclude<FilterColumn, { kind: 'relation' | 'keys' }>;

/** The conditions on a column, all of which must hold. */
function conditionsOn(
  filter: Comparable,
  value: unknown,
  { name, context }: { name: string; context: QueryContext },
): Where[] {
  switch (filter.kind) {
    case 'in':
      return [{ [filter.column]: { in: value } }];
    case 'equals':
      return [{ [filter.column]: value }];
    case 'present':
      return [{ [filter.column]: value ? { not: null } : null }];
    case 'related':
      return [{ [filter.relation]: { some: { [filter.column]: value } } }];
    case 'range':
      return [rangeCondition(filter.column, boundsOf(value as Range, context, name))];
    case 'number':
    case 'text':
      return Object.entries(value as object).map(([operator, operand]) => operated(filter, operator, operand, name));
  }
}

function rangeCondition(column: string, { from, to }: Bounds): Where {
  return from || to ? { [column]: { ...(from && { gte: from }), ...(to && { lt: to }) } } : matchAll;
}

type Compared = FilterColumn & { kind: 'number' | 'text' };

/** Converts one operator of a number or text filter. */
function operated(filter: Compared, operator: string, operand: unknown, name: string): Where {
  if (operand === undefined) return matchAll;
  const { column, nullable } = filter;
  if (operand === null) throw noCondition(`${name}.${operator}`, nullable ? 'isNull: true' : null);
  if (operator === 'isNull') {
    if (!nullable) return operand ? matchNone : matchAll;
    return { [column]: operand ? null : { not: null } };
  }
  if (filter.kind === 'number') return { [column]: { [operator]: operand } };
  for (const text of [operand].flat() as string[]) {
    if (text.length > maxTextLength)
      throw invalid(`${name}.${operator}: must have at most ${grouped(maxTextLength)} characters`);
  }
  if (filter.isExact && operator === 'equals') return { [column]: asStored(operand as string) };
  if (filter.isExact && operator === 'in') return { [column]: { in: (operand as string[]).map(asStored) } };
  return { [column]: new FoldedText(operator as FoldedText['operator'], operand as string) };
}

/** An address or a number as its column has it, however it is written. */
const asStored = (text: string): string => (text.includes('@') ? storedEmail(text) : (storedPhone(text) ?? text));

/** Maximum number of characters of a text operand. */
const maxTextLength = 500;

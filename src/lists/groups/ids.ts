import { capitalized } from '../../core/capitals.ts';
import { memoize } from '../../core/lazy.ts';
import { type Aggregate, aggregates, type GroupRule, type Measure } from '../group.ts';

/** The ids by which a field finds its value in the result. */
export const countId = (filter: unknown): string => (hasValues(filter) ? `count ${JSON.stringify(filter)}` : 'count');
export const measureId = (aggregate: string, column: string): string => `${aggregate} ${column}`;
export function keyId(field: string, args: object): string {
  const known = keyIds.get(args) ?? `${field} ${JSON.stringify(args)}`;
  keyIds.set(args, known);
  return known;
}
/** By the arguments, which belong to one field. */
const keyIds = new WeakMap<object, string>();

/** The number of rows of a group, which is always measured. */
export const allRows: Measure = { id: countId(null), aggregate: 'count', filter: null };

/** Returns the sort keys of groups by their enum value: the keys, the count, and each aggregate of each column. */
export const sortFields = memoize(
  (rule: GroupRule): ReadonlyMap<string, 'keys' | Measure> =>
    new Map<string, 'keys' | Measure>([
      ['by', 'keys'],
      ['count', allRows],
      ...aggregates.flatMap((aggregate) =>
        columnsOf(rule, aggregate).map((column): [string, Measure] => [
          aggregate + capitalized(column),
          { id: measureId(aggregate, column), aggregate, column },
        ]),
      ),
    ]),
);

/** Returns what groups can be sorted and filtered by: the sort fields, and the running totals of counts and sums. */
export const orderFields = memoize(
  (rule: GroupRule): ReadonlyMap<string, 'keys' | Measure> =>
    new Map([
      ...sortFields(rule),
      ...[...sortFields(rule)].flatMap(([name, of]): [string, Measure][] => {
        if (of === 'keys' || (of.aggregate !== 'count' && of.aggregate !== 'sum')) return [];
        const field = `cumulative${capitalized(name)}`;
        return [[field, { id: `cumulative ${of.id}`, aggregate: 'cumulative', of }]];
      }),
    ]),
);

function columnsOf({ numbers = [], distinct = [], moments }: GroupRule, aggregate: Aggregate): readonly string[] {
  if (aggregate === 'distinct') return distinct;
  return aggregate === 'sum' || aggregate === 'avg' ? numbers : [...numbers, ...moments];
}

/** A null is no value, but it stays, to be refused as the filter of a list refuses it. */
function hasValues(filter: unknown): boolean {
  return Object.values((filter ?? {}) as object).some((value) => value !== undefined);
}

import { type Aggregate, aggregates, type GroupRule, type Measure } from '../../database/query/group.ts';

/** The ids by which what a field asks for is found again in what was read. */
export const countId = (filter: unknown): string => (hasValues(filter) ? `count ${JSON.stringify(filter)}` : 'count');
export const measureId = (aggregate: string, column: string): string => `${aggregate} ${column}`;
export const keyId = (field: string, args: object): string => `${field} ${JSON.stringify(args)}`;

/** How many rows a group has: measured always. */
export const allRows: Measure = { id: countId(null), aggregate: 'count', filter: null };

/** What groups can be sorted by, by its name in the enumeration: their keys, the count, and each aggregate of each column. */
export function sortFields(rule: GroupRule): Map<string, 'keys' | Measure> {
  return new Map<string, 'keys' | Measure>([
    ['by', 'keys'],
    ['count', allRows],
    ...aggregates.flatMap((aggregate) =>
      columnsOf(rule, aggregate).map((column): [string, Measure] => [
        `${aggregate}${column.slice(0, 1).toUpperCase()}${column.slice(1)}`,
        { id: measureId(aggregate, column), aggregate, column },
      ]),
    ),
  ]);
}

function columnsOf({ numbers = [], distinct = [], moments }: GroupRule, aggregate: Aggregate): readonly string[] {
  if (aggregate === 'distinct') return distinct;
  return aggregate === 'sum' || aggregate === 'avg' ? numbers : [...numbers, ...moments];
}

function hasValues(filter: unknown): boolean {
  return Object.values((filter ?? {}) as object).some((value) => value !== null && value !== undefined);
}

import type { Value } from '../../../src/compiled/groups/index.ts';
import type { Measure } from '../../../src/database/query/group.ts';

/** What was measured of some rows: values by the ids of the measures. */
export type Told = { index: ReadonlyMap<string, number>; values: readonly Value[] };

export const indexOf = (all: readonly { id: string }[] | null): Map<string, number> =>
  new Map(all?.map(({ id }, index) => [id, index]));

/** Null where no row has a value. */
export const valueIn = ({ index, values }: Told, id: string): Value => values[index.get(id) ?? -1] ?? null;

/** The ids by which what a field asks for is found again in what was read. */
export const countId = (filter: unknown): string => (hasValues(filter) ? `count ${JSON.stringify(filter)}` : 'count');
export const measureId = (aggregate: string, column: string): string => `${aggregate} ${column}`;
export const keyId = (field: string, args: object): string => `${field} ${JSON.stringify(args)}`;

/** How many rows a group has: measured always. */
export const allRows: Measure = { id: countId(null), aggregate: 'count', filter: null };

function hasValues(filter: unknown): boolean {
  return Object.values((filter ?? {}) as object).some((value) => value !== null && value !== undefined);
}

import type { Value } from '../../../src/lists/groups/index.ts';

/** Measured values, by the ids of the measures. */
export type Measurements = { index: ReadonlyMap<string, number>; values: readonly Value[] };

export const indexOf = (all: readonly { id: string }[] | null): Map<string, number> =>
  new Map(all?.map(({ id }, index) => [id, index]));

/** Null if no row has a value. */
export const valueIn = ({ index, values }: Measurements, id: string): Value => values[index.get(id) ?? -1] ?? null;

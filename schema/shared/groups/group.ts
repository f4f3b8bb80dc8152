import { writeGroupCursor } from '../../../src/lists/groups/index.ts';
import type { PageKey } from '../../../src/lists/sql/pages.ts';
import type { Keys } from './by.ts';
import { indexOf, type Measurements } from './measurements.ts';
import type { ReadGroups } from './read.ts';

export type Row = Record<string, unknown>;
/** A page of rows of each of the groups that were read together: their keys, and the row of a key. */
export type RowsOfGroups = { keys: PageKey[][]; nodeOf: (key: PageKey) => Row | undefined };
/** A group: its index among those that were read together, and the shared pages of their rows. */
export type Group = { read: ReadGroups; index: number; pages: Map<string, Promise<RowsOfGroups>> };

export function groupsIn(read: ReadGroups): Group[] {
  const pages = new Map<string, Promise<RowsOfGroups>>();
  return read.result.groups.map((_, index) => ({ read, index, pages }));
}

export const resultOf = ({ read, index }: Group) => read.result.groups[index] as ReadGroups['result']['groups'][number];

export const keysOf = (group: Group): Keys => ({
  index: indexOf(group.read.grouping.keys),
  values: resultOf(group).keys,
});

export const measurementsOf = (group: Group): Measurements => ({
  index: indexOf(group.read.grouping.measures),
  values: resultOf(group).measures,
});

export const previousOf = (group: Group): Measurements => ({
  index: indexOf(group.read.grouping.previous),
  values: resultOf(group).previous,
});

export const cumulativeOf = (group: Group): Measurements => ({
  index: indexOf(group.read.grouping.cumulative),
  values: resultOf(group).cumulative,
});

export const cursorOf = (group: Group): string => {
  const { value, position } = resultOf(group);
  return writeGroupCursor(group.read.seal, { value, keys: position });
};

export function pageInfoOf(read: ReadGroups) {
  const groups = groupsIn(read);
  const [first, last] = [groups[0], groups.at(-1)];
  return {
    hasNextPage: read.result.more,
    hasPreviousPage: read.grouping.after !== null,
    startCursor: first ? cursorOf(first) : null,
    endCursor: last ? cursorOf(last) : null,
  };
}

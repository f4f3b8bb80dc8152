import type { Keys } from './by.ts';
import { writeGroupCursor } from './cursor.ts';
import type { ReadGroups } from './read.ts';
import { indexOf, type Told } from './told.ts';

export type Row = Record<string, unknown>;
/** A group as it was read: its place among those that were read together, and the pages of their rows. */
export type Group = { read: ReadGroups; index: number; pages: Map<string, Promise<Row[][]>> };

export function groupsIn(read: ReadGroups): Group[] {
  const pages = new Map<string, Promise<Row[][]>>();
  return read.answered.groups.map((_, index) => ({ read, index, pages }));
}

export const answerOf = ({ read, index }: Group) =>
  read.answered.groups[index] as ReadGroups['answered']['groups'][number];

export const keysOf = (group: Group): Keys => ({
  index: indexOf(group.read.grouping.keys),
  values: answerOf(group).keys,
});

export const toldOf = (group: Group): Told => ({
  index: indexOf(group.read.grouping.measures),
  values: answerOf(group).measures,
});

export const previousOf = (group: Group): Told => ({
  index: indexOf(group.read.grouping.previous),
  values: answerOf(group).previous,
});

export const cursorOf = (group: Group): string => {
  const { value, place } = answerOf(group);
  return writeGroupCursor(group.read.seal, { value, keys: place });
};

export function pageInfoOf(read: ReadGroups) {
  const groups = groupsIn(read);
  const [first, last] = [groups[0], groups.at(-1)];
  return {
    hasNextPage: read.answered.more,
    hasPreviousPage: read.grouping.after !== null,
    startCursor: first ? cursorOf(first) : null,
    endCursor: last ? cursorOf(last) : null,
  };
}

import { setTimeout } from 'node:timers/promises';
import { cachesByDatabase } from './block-cache.ts';

/**
 * An index of words: the table of its segments, that of its postings, and those whose rows postings belong to. Which
 * columns a segment has, what a document is and when it is indexed is up to its users.
 */
export type WordIndex = typeof passageIndex | typeof messageIndex;

/** Passages: segments stay as they were written, and the postings of many are merged into runs. */
export const passageIndex = {
  segments: 'PassageSegment',
  postings: 'PassageTerm',
  owners: ['PassageSegment', 'PassageRun'],
  cacheOf: cachesByDatabase(),
} as const;

/** Messages: segments are ranges of numbers, and neighbours are merged. */
export const messageIndex = {
  segments: 'MessageSegment',
  postings: 'MessageTerm',
  owners: ['MessageSegment'],
  cacheOf: cachesByDatabase(),
} as const;

/** This many units of similar size are merged into one, which is then a unit of the next size. */
export const fanIn = 8;
/**
 * The maximum slots of merged postings. An entry could address twice as many, but each step of writing would take
 * longer.
 */
export const maxSlots = 32_768;

/** The size of a unit, as a number of merges from the smallest. */
export const levelOf = (slots: number, smallest: number): number =>
  Math.floor(Math.log(Math.max(slots / smallest, 1)) / Math.log(fanIn));

/** Leaves the CPU to requests for as long as a step took: with a backlog, as after an upgrade, there are many. */
export const rest = (started: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(performance.now() - started, undefined, { signal });

import type { Run, Segment } from './postings.ts';

/** The candidates that a run's passages are, by slot; or only the first, if the others follow it. */
export type Numbering = { first: number; candidates: Int32Array | null; whole: boolean };
/** All passages that are ranked, as candidates from 0 to `size`, older segments first. */
export type Numbered = {
  size: number;
  runs: Map<number, Numbering>;
  locate(candidate: number): { segment: number; slot: number };
};

/** In `candidates`: passages that were removed, and those that count for statistics only. */
export const removed = -1;
const excluded = -2;

// Reused by every search, which is safe since ranking is synchronous; allocating megabytes per search would burden the
// garbage collector.
let buffer = new Int32Array(0);

/**
 * Numbers the wanted passages of runs; valid until the next call. The numbers do not depend on how segments are merged
 * into runs.
 */
export function numberPassages(runs: Run[]): Numbered {
  const segments = runs.flatMap((run) => run.segments.filter((segment) => segment.wanted));
  segments.sort((a, b) => a.number - b.number);
  const firsts = new Map<number, number>();
  let size = 0;
  for (const segment of segments) {
    firsts.set(segment.number, size);
    size += segment.size;
  }
  let slots = 0;
  for (const run of runs) slots += run.size;
  if (buffer.length < slots) buffer = new Int32Array(slots);
  let used = 0;
  const numberings = runs.map((run): [number, Numbering] => {
    const candidates = buffer.subarray(used, (used += run.size));
    return [run.number, numberRun(run, firsts, candidates)];
  });
  return {
    size,
    runs: new Map(numberings),
    locate(candidate) {
      const { number } = segments.findLast((segment) => (firsts.get(segment.number) as number) <= candidate) as Segment;
      return { segment: number, slot: candidate - (firsts.get(number) as number) };
    },
  };
}

function numberRun({ size, segments }: Run, firsts: Map<number, number>, candidates: Int32Array): Numbering {
  const held = segments.reduce((sum, segment) => sum + (segment.gone ? 0 : segment.size), 0);
  const whole = held === size;
  const [segment] = segments;
  const first = segment && firsts.get(segment.number);
  if (whole && segments.length === 1 && first !== undefined && !segment?.barred?.size)
    return { first, candidates: null, whole };
  if (!whole) candidates.fill(removed);
  for (const segment of segments) {
    const first = firsts.get(segment.number);
    for (let slot = 0; slot < segment.size; slot++) {
      candidates[segment.start + slot] = first === undefined ? excluded : first + slot;
    }
    for (const slot of segment.barred ?? []) candidates[segment.start + slot] = excluded;
    for (const slot of segment.gone ?? []) candidates[segment.start + slot] = removed;
  }
  return { first: 0, candidates, whole };
}

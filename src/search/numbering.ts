import type { Run, Segment } from './postings.ts';

/** The places of a run's passages among all ranked ones, by slot; or only the first, if the others follow it. */
export type Numbering = { first: number; places: Int32Array | null; whole: boolean };
/** The places of all ranked passages: `size` of them, older segments first. */
export type Numbered = {
  size: number;
  runs: Map<number, Numbering>;
  locate(place: number): { segment: number; slot: number };
};

/** In `places`: passages that were removed, and those that count for statistics only. */
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
    const places = buffer.subarray(used, (used += run.size));
    return [run.number, numberRun(run, firsts, places)];
  });
  return {
    size,
    runs: new Map(numberings),
    locate(place) {
      const { number } = segments.findLast((segment) => (firsts.get(segment.number) as number) <= place) as Segment;
      return { segment: number, slot: place - (firsts.get(number) as number) };
    },
  };
}

function numberRun({ size, segments }: Run, firsts: Map<number, number>, places: Int32Array): Numbering {
  const held = segments.reduce((sum, segment) => sum + (segment.gone ? 0 : segment.size), 0);
  const whole = held === size;
  const [segment] = segments;
  const first = segment && firsts.get(segment.number);
  if (whole && segments.length === 1 && first !== undefined && !segment?.barred?.size)
    return { first, places: null, whole };
  if (!whole) places.fill(removed);
  for (const segment of segments) {
    const first = firsts.get(segment.number);
    for (let slot = 0; slot < segment.size; slot++) {
      places[segment.start + slot] = first === undefined ? excluded : first + slot;
    }
    for (const slot of segment.barred ?? []) places[segment.start + slot] = excluded;
    for (const slot of segment.gone ?? []) places[segment.start + slot] = removed;
  }
  return { first: 0, places, whole };
}

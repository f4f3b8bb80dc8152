import type { Database } from '../../database/client.ts';
import { queryWords } from '../../text/lexemes.ts';
import { bestOf } from '../rank.ts';
import { maxWords } from '../rarest.ts';
import type { Hit, RankedMatches } from '../types.ts';
import { readMessageEvidence, waitingSegment } from './evidence.ts';
import { matchAll, type RunMatches } from './matching.ts';

/** Finds the messages of a workspace that contain every word of a text except stop words, ranked by BM25. */
export async function findMessages(database: Database, workspaceId: string, text: string): Promise<RankedMatches> {
  const words = queryWords(text).slice(0, maxWords);
  if (words.length === 0) return foundIn([], []);
  const evidence = await readMessageEvidence(database, workspaceId, words);
  return foundIn(matchAll(evidence), evidence.waiting);
}

/** Unindexed messages come last, by their positions in `waiting`; the others are in the order of their numbers. */
function foundIn(matches: RunMatches[], waiting: string[]): RankedMatches {
  const total = matches.reduce((sum, { slots }) => sum + slots.length, 0);
  const scores = new Float64Array(total);
  const all = new Int32Array(total);
  const ids: string[] = [];
  let count = 0;
  for (const { run, slots, scores: own } of matches) {
    const first = run.segments[0]?.number as number;
    scores.set(own, count);
    for (const slot of slots) {
      if (first === waitingSegment) ids.push(waiting[slot] as string);
      else all[count] = first + slot;
      count++;
    }
  }
  const numbers = all.subarray(0, total - ids.length);
  const indexes = new Map(ids.map((id, index) => [id, numbers.length + index]));
  const hitAt = (index: number): Hit =>
    index < numbers.length
      ? { id: null, number: numbers[index] as number }
      : { id: ids[index - numbers.length] as string, number: null };
  return {
    total,
    best: (limit) => bestOf(scores, limit, { lastFirst: true }).map(hitAt),
    all: () => ({ ids, numbers }),
    scoreOf({ id, number }) {
      const index = (id === null ? undefined : indexes.get(id)) ?? (number === null ? -1 : indexOf(numbers, number));
      return index < 0 ? null : (scores[index] as number);
    },
  };
}

function indexOf(ascending: Int32Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return ascending[low] === value ? low : -1;
}

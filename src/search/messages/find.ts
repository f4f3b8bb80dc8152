import type { Database } from '../../database/client.ts';
import type { Found, Hit } from '../../database/query/ranked.ts';
import { queryWords } from '../../text/lexemes.ts';
import type { Run } from '../postings.ts';
import { insertPlace, type Matched, matchAll } from '../rank.ts';
import { mostWords } from '../rarest.ts';
import { readMessageEvidence, waitingSegment } from './evidence.ts';

/** Finds the messages of a workspace that contain every word of a text except stop words, ranked by BM25. */
export async function findMessages(database: Database, workspaceId: string, text: string): Promise<Found> {
  const words = queryWords(text).slice(0, mostWords);
  if (words.length === 0) return foundAt({ places: new Int32Array(), scores: new Float64Array() }, [], []);
  const evidence = await readMessageEvidence(database, workspaceId, words);
  return foundAt(matchAll(evidence), evidence.runs, evidence.waiting);
}

function foundAt({ places, scores }: Matched, runs: Run[], waiting: string[]): Found {
  const numbers = numbersAt(places, runs);
  const ids = [...places.subarray(numbers.length)].map((place) => waiting[place - sizeOf(runs)] as string);
  const indexes = new Map(ids.map((id, index) => [id, numbers.length + index]));
  const hitAt = (index: number): Hit =>
    index < numbers.length
      ? { id: null, number: numbers[index] as number }
      : { id: ids[index - numbers.length] as string, number: null };
  return {
    total: places.length,
    best: (limit) => bestOf(scores, limit).map(hitAt),
    all: () => ({ ids, numbers }),
    scoreOf({ id, number }) {
      const index = (id === null ? undefined : indexes.get(id)) ?? (number === null ? -1 : indexOf(numbers, number));
      return index < 0 ? null : (scores[index] as number);
    },
  };
}

const segmentsOf = (runs: Run[]) => runs.flatMap(({ segments }) => segments).sort((a, b) => a.number - b.number);

/** The number of places of indexed messages, which precede the unindexed ones. */
const sizeOf = (runs: Run[]): number =>
  segmentsOf(runs).reduce((sum, { number, size }) => (number === waitingSegment ? sum : sum + size), 0);

/** Returns the numbers of the indexed messages at ascending places: places run from segment to segment. */
function numbersAt(places: Int32Array, runs: Run[]): Int32Array {
  const numbers = new Int32Array(places.length);
  let [count, start] = [0, 0];
  for (const { number, size } of segmentsOf(runs)) {
    if (number === waitingSegment) break;
    while (count < places.length && (places[count] as number) < start + size) {
      numbers[count] = number + (places[count] as number) - start;
      count++;
    }
    start += size;
  }
  return numbers.subarray(0, count);
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

/** Above this limit a full sort is used. */
const mostInserted = 5_000;

/** Returns the indexes of the highest scores, highest first; later ones first among equals. */
function bestOf(scores: Float64Array, limit: number): number[] {
  if (limit > mostInserted) {
    const all = Array.from(scores, (_, at) => at);
    return all.sort((a, b) => (scores[b] as number) - (scores[a] as number) || b - a).slice(0, limit);
  }
  const best: number[] = [];
  let bar = -1;
  for (let at = scores.length - 1; at >= 0; at--) {
    const score = scores[at] as number;
    if (score <= bar) continue;
    insertPlace(best, scores, at);
    if (best.length > limit) best.pop();
    if (best.length === limit) bar = scores[best.at(-1) as number] as number;
  }
  return best;
}

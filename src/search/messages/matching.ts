import { type Block, entry, type Run } from '../postings.ts';
import { type Evidence, lengthNorms, rarity } from '../rank.ts';

/** The messages of a run that contain every word, by ascending slot, with their BM25 scores. */
export type RunMatches = { run: Run; slots: Uint16Array; scores: Float64Array };

/** A word of a query in one run: its blocks, one per term. */
type Postings = { blocks: Uint8Array[]; bytes: number };

/**
 * Finds the messages that contain every word of a query, however many there are, run by run. Within a run, the rarest
 * word is read first and the others are looked up, so that the work depends on what a word is found in, and not on the
 * number of messages.
 */
export function matchAll({ runs, words, passages, averageWords }: Evidence): RunMatches[] {
  const norms = lengthNorms(averageWords);
  const postings = words.map(({ blocks }) => byRun(blocks));
  const weights = words.map(({ weight = 1, elsewhere }, index) => {
    const held = runs.reduce((sum, run) => sum + countHeld(postings[index]?.get(run.number), run), elsewhere);
    return weight * rarity(passages, held);
  });
  const inOrder = runs.toSorted((a, b) => firstOf(a) - firstOf(b));
  return inOrder.flatMap((run): RunMatches[] => {
    const held = postings.flatMap((byRun) => byRun.get(run.number) ?? []);
    if (held.length < words.length) return [];
    const slots = slotsInAll(held, run);
    if (slots.length === 0) return [];
    const scores = new Float64Array(slots.length);
    // In the order of the words: another one would round differently.
    for (const [index, { blocks }] of held.entries()) {
      for (const block of blocks) addScores(scores, slots, block, weights[index] as number, norms);
    }
    return [{ run, slots, scores }];
  });
}

const firstOf = ({ segments }: Run): number => segments[0]?.number ?? 0;

function byRun(blocks: Block[]): Map<number, Postings> {
  const found = new Map<number, Postings>();
  for (const { run, bytes } of blocks) {
    const known = found.get(run);
    if (known) known.blocks.push(bytes);
    else found.set(run, { blocks: [bytes], bytes: 0 });
  }
  for (const postings of found.values()) postings.bytes = postings.blocks.reduce((sum, { length }) => sum + length, 0);
  return found;
}

/** The removed messages of a run: runs of messages have one segment, whose slots are the run's. */
const goneOf = ({ segments }: Run): Set<number> | null => segments[0]?.gone ?? null;

/** The number of messages of the run that contain the word and still exist. */
function countHeld(postings: Postings | undefined, run: Run): number {
  if (!postings) return 0;
  let held = postings.bytes / entry;
  for (const slot of goneOf(run) ?? []) {
    for (const block of postings.blocks) if (slotAt(block, seek(block, 0, slot)) === slot) held--;
  }
  return held;
}

/** Returns the slots that all words have in common, ascending, without those of removed messages. */
function slotsInAll(words: Postings[], run: Run): Uint16Array {
  const [rarest, ...others] = words.toSorted((a, b) => a.bytes - b.bytes) as [Postings, ...Postings[]];
  let slots = slotsOf(rarest);
  for (const { blocks } of others) slots = slotsAlsoIn(blocks, slots);
  const gone = goneOf(run);
  return gone ? slots.filter((slot) => !gone.has(slot)) : slots;
}

function slotsAlsoIn(blocks: Uint8Array[], slots: Uint16Array): Uint16Array {
  const isHeld = new Uint8Array(slots.length);
  for (const block of blocks) {
    let at = 0;
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] as number;
      at = seek(block, at, slot);
      if (slotAt(block, at) === slot) isHeld[index] = 1;
    }
  }
  return slots.filter((_, index) => isHeld[index] === 1);
}

function slotsOf({ blocks, bytes }: Postings): Uint16Array {
  const slots = new Uint16Array(bytes / entry);
  let count = 0;
  for (const block of blocks) for (let at = 0; at < block.length; at += entry) slots[count++] = slotAt(block, at);
  return blocks.length > 1 ? slots.sort() : slots;
}

/** Adds a word's score to the messages of these slots that the block has. */
function addScores(
  scores: Float64Array,
  slots: Uint16Array,
  block: Uint8Array,
  weight: number,
  norms: Float64Array,
): void {
  let at = 0;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index] as number;
    at = seek(block, at, slot);
    if (slotAt(block, at) !== slot) continue;
    const count = block[at + 2] as number;
    scores[index] = (scores[index] as number) + (weight * count) / (count + (norms[block[at + 3] as number] as number));
  }
}

const beyond = -1;

const slotAt = (block: Uint8Array, at: number): number =>
  at < block.length ? ((block[at] as number) << 8) | (block[at + 1] as number) : beyond;

/** Returns the offset of the first entry from `start` on whose slot is not below; the end of the block if none. */
function seek(block: Uint8Array, start: number, slot: number): number {
  let step = entry;
  let low = start;
  let high = start;
  // Steps of doubling length: what is looked for is near when a block is read from entry to entry.
  while (high < block.length && slotAt(block, high) < slot) {
    low = high + entry;
    high += step;
    step *= 2;
  }
  high = Math.min(high, block.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = middle - (middle % entry);
    if (slotAt(block, at) < slot) low = at + entry;
    else high = at;
  }
  return low;
}

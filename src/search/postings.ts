import { setImmediate as pause } from 'node:timers/promises';

/** An analyzed passage: its term frequencies and its number of words. */
export type Analyzed = { terms: Map<string, number>; words: number };
/** The sorted terms of a segment or run; `sizes` are those of their blocks, which `blocks` concatenates. */
export type Postings = { terms: string[]; sizes: number[]; blocks: Buffer };

/** Bytes per entry: slot (2), term frequency (1), and length of the passage in words (1). */
export const entry = 4;
const maxCount = 255;

/** Encodes the blocks of a segment, with one entry per passage in each. */
export function encodePostings(passages: Analyzed[]): Postings {
  const lists = new Map<string, { size: number; end: number }>();
  // In the order in which entries are written below, which saves a second lookup of each list.
  const listOf: { end: number }[] = [];
  for (const passage of passages) {
    for (const term of passage.terms.keys()) {
      let list = lists.get(term);
      if (!list) lists.set(term, (list = { size: 0, end: 0 }));
      list.size += entry;
      listOf.push(list);
    }
  }
  const sorted = [...lists].sort(([a], [b]) => (a < b ? -1 : 1));
  let size = 0;
  for (const [, list] of sorted) {
    list.end = size;
    size += list.size;
  }
  const blocks = Buffer.allocUnsafe(size);
  let next = 0;
  for (const [slot, { terms, words }] of passages.entries()) {
    for (const count of terms.values()) {
      const list = listOf[next++] as { end: number };
      blocks[list.end] = slot >> 8;
      blocks[list.end + 1] = slot & 255;
      blocks[list.end + 2] = Math.min(count, maxCount);
      blocks[list.end + 3] = Math.min(words, maxCount);
      list.end += entry;
    }
  }
  return { terms: sorted.map(([term]) => term), sizes: sorted.map(([, list]) => list.size), blocks };
}

/**
 * Postings with the new positions of their slots: `size` of them from `from` on move to `start`. All others are
 * dropped.
 */
export type Moved = { postings: Postings; moves: { from: number; size: number; start: number }[] };

/** Merges postings, some terms at a time: it takes long, so the event loop must run in between. */
export async function* mergePostings(all: Moved[], termsAtOnce = 1_000): AsyncGenerator<Postings> {
  const parts = all.map(({ postings, moves }) => ({
    ...postings,
    slots: slotsOf(moves),
    ends: endsOf(postings.sizes),
  }));
  // The part and the index within it of each occurrence of a term, as pairs of numbers.
  const positions = new Map<string, number[]>();
  for (const [part, { terms }] of parts.entries()) {
    for (const [index, term] of terms.entries()) {
      const known = positions.get(term);
      if (known) known.push(part, index);
      else positions.set(term, [part, index]);
      if (index % 5_000 === 0) await pause();
    }
  }
  const entries = [...positions];
  for (let first = 0; first < entries.length; first += termsAtOnce) {
    const merged: Postings = { terms: [], sizes: [], blocks: Buffer.alloc(0) };
    const blocks: Buffer[] = [];
    for (const [term, found] of entries.slice(first, first + termsAtOnce)) {
      let size = 0;
      for (let at = 0; at < found.length; at += 2) {
        const { slots, ends, sizes, blocks: held } = parts[found[at] as number] as (typeof parts)[number];
        const [end, length] = [ends[found[at + 1] as number] as number, sizes[found[at + 1] as number] as number];
        const moved = moveEntries(slots, held.subarray(end - length, end));
        blocks.push(moved);
        size += moved.length;
      }
      if (size === 0) continue;
      merged.terms.push(term);
      merged.sizes.push(size);
    }
    yield { ...merged, blocks: Buffer.concat(blocks) };
  }
}

/** Returns the end offset of each block. */
function endsOf(sizes: number[]): Int32Array {
  let end = 0;
  return Int32Array.from(sizes, (size) => (end += size));
}

/** Returns the new slot of each old one; -1 for none. */
function slotsOf(moves: Moved['moves']): Int32Array {
  const slots = new Int32Array(Math.max(...moves.map(({ from, size }) => from + size), 0)).fill(-1);
  for (const { from, size, start } of moves) for (let n = 0; n < size; n++) slots[from + n] = start + n;
  return slots;
}

function moveEntries(slots: Int32Array, block: Buffer): Buffer {
  const moved = Buffer.from(block);
  let end = 0;
  for (let at = 0; at < block.length; at += entry) {
    const slot = slots[((block[at] as number) << 8) | (block[at + 1] as number)] ?? -1;
    if (slot < 0) continue;
    moved.writeUInt16BE(slot, end);
    moved[end + 2] = block[at + 2] as number;
    moved[end + 3] = block[at + 3] as number;
    end += entry;
  }
  return moved.subarray(0, end);
}

/**
 * A segment as a search reads it: slots from `start` on in its run. `gone` are its own removed slots, `barred` those
 * that must not be found.
 */
export type Segment = {
  number: number;
  start: number;
  size: number;
  wanted: boolean;
  gone: Set<number> | null;
  barred?: Set<number> | null;
};
/** A unit of stored postings: several segments, or a single one. Slots of no segment belong to removed ones. */
export type Run = { number: number; size: number; segments: Segment[] };
/** The postings of one term in one run. */
export type Block = { run: number; bytes: Uint8Array };

/** Decodes blocks from base64: each is preceded by its run (8 bytes) and its length (4 bytes). */
export function readBlocks(packed: string): Block[] {
  const bytes = Buffer.from(packed, 'base64');
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [run, length] = [Number(bytes.readBigInt64BE(at)), bytes.readInt32BE(at + 8)];
    blocks.push({ run, bytes: bytes.subarray(at + 12, at + 12 + length) });
    at += 12 + length;
  }
  return blocks;
}

/** Decodes the slots of a column `gone`. */
export function readGone(packed: Uint8Array): Set<number> | null {
  if (!packed.length) return null;
  const gone = new Set<number>();
  for (let at = 0; at < packed.length; at += 2) gone.add(((packed[at] as number) << 8) | (packed[at + 1] as number));
  return gone;
}

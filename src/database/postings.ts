/** A passage as it is indexed: how often each term is in it, and how many words it has. */
export type Analyzed = { terms: Map<string, number>; words: number };

const entry = 4;
const most = 255;

/** The blocks of a segment, in the order of their terms. A block has an entry of four bytes for each passage. */
export function encodePostings(passages: Analyzed[]): { term: string; block: Buffer }[] {
  const lists = new Map<string, number[]>();
  for (const [slot, { terms, words }] of passages.entries()) {
    for (const [term, count] of terms) {
      let list = lists.get(term);
      if (!list) lists.set(term, (list = []));
      list.push(slot >> 8, slot & 255, Math.min(count, most), Math.min(words, most));
    }
  }
  return [...lists]
    .map(([term, bytes]) => ({ term, block: Buffer.from(bytes) }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.term), Buffer.from(b.term)));
}

/** A part of the index, as a search reads it. `gone` are the slots of passages that were removed. */
export type Segment = { number: number; size: number; wanted: boolean; gone: Set<number> | null };
/** The postings of one term in one segment. */
export type Block = { segment: number; bytes: Uint8Array };

/** Calls `each` with slot, count and words of every passage of the block that is still there. */
export function readBlock(
  { bytes }: Block,
  gone: Set<number> | null,
  each: (slot: number, count: number, words: number) => void,
): void {
  for (let at = 0; at < bytes.length; at += entry) {
    const slot = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    if (!gone?.has(slot)) each(slot, bytes[at + 2] as number, bytes[at + 3] as number);
  }
}

/** How many passages of the block are still there. */
export function countBlock(block: Block, gone: Set<number> | null): number {
  if (!gone) return block.bytes.length / entry;
  let count = 0;
  readBlock(block, gone, () => count++);
  return count;
}

/** Blocks as the database sends them: one after the other, each after its segment (8 bytes) and its length (4). */
export function readBlocks(packed: Uint8Array): Block[] {
  const view = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const blocks: Block[] = [];
  for (let at = 0; at < view.length; ) {
    const [segment, length] = [Number(view.readBigInt64BE(at)), view.readInt32BE(at + 8)];
    blocks.push({ segment, bytes: view.subarray(at + 12, at + 12 + length) });
    at += 12 + length;
  }
  return blocks;
}

/** The slots in a column `gone`. */
export function readGone(packed: Uint8Array): Set<number> | null {
  if (!packed.length) return null;
  const gone = new Set<number>();
  for (let at = 0; at < packed.length; at += 2) gone.add(((packed[at] as number) << 8) | (packed[at + 1] as number));
  return gone;
}

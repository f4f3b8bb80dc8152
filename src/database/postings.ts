/** A passage as it is indexed: how often each term is in it, and how many words it has. */
export type Analyzed = { terms: Map<string, number>; words: number };
/** The terms of a segment in their order; `sizes` are those of their blocks, which `blocks` has one after the other. */
export type Postings = { terms: string[]; sizes: number[]; blocks: Buffer };

/** The bytes of an entry: the slot (2), how often the passage has the term, and how many words it has. */
export const entry = 4;
const most = 255;

/** The blocks of a segment. A block has an entry of four bytes for each passage. */
export function encodePostings(passages: Analyzed[]): Postings {
  const lists = new Map<string, { size: number; end: number }>();
  // In the order in which the entries are written below: looking for each list once more would take as long again.
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
      blocks[list.end + 2] = Math.min(count, most);
      blocks[list.end + 3] = Math.min(words, most);
      list.end += entry;
    }
  }
  return { terms: sorted.map(([term]) => term), sizes: sorted.map(([, list]) => list.size), blocks };
}

/** A part of the index, as a search reads it. `gone` are the slots of passages that were removed. */
export type Segment = { number: number; size: number; wanted: boolean; gone: Set<number> | null };
/** The postings of one term in one segment. */
export type Block = { segment: number; bytes: Uint8Array };

/** How many passages of the block are still there. */
export function countBlock({ bytes }: Block, gone: Set<number> | null): number {
  if (!gone) return bytes.length / entry;
  let count = 0;
  for (let at = 0; at < bytes.length; at += entry) {
    if (!gone.has(((bytes[at] as number) << 8) | (bytes[at + 1] as number))) count++;
  }
  return count;
}

/** Blocks as the database sends them, in base64: one after the other, each after its segment (8 bytes) and its length (4). */
export function readBlocks(packed: string): Block[] {
  const bytes = Buffer.from(packed, 'base64');
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [segment, length] = [Number(bytes.readBigInt64BE(at)), bytes.readInt32BE(at + 8)];
    blocks.push({ segment, bytes: bytes.subarray(at + 12, at + 12 + length) });
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

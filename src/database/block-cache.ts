import type { Block } from './postings.ts';

/** Bytes of blocks that are kept, of all workspaces together. */
const mostBytes = 16 * 2 ** 20;
/** Terms that have less are not kept: to read them again costs next to nothing. */
const worthKeeping = 1_024;

type Kept = { blocks: Block[]; bytes: number };

/**
 * Blocks that searches have read, of the terms that were asked for last. Most of what a search reads is of a few frequent
 * words; and under its number a block never changes.
 */
export class BlockCache {
  readonly #terms = new Map<string, Kept>();
  #bytes = 0;

  /** What is kept of a term, of all runs that it was read of. */
  get(workspaceId: string, term: string): Block[] {
    const key = `${workspaceId} ${term}`;
    const kept = this.#terms.get(key);
    if (!kept) return [];
    this.#terms.delete(key);
    this.#terms.set(key, kept);
    return kept.blocks;
  }

  /** Keeps these blocks of a term and no others; the terms that were asked for longest ago make room. */
  set(workspaceId: string, term: string, blocks: Block[]): void {
    const key = `${workspaceId} ${term}`;
    this.#forget(key);
    const bytes = blocks.reduce((sum, block) => sum + block.bytes.length, 0);
    if (bytes < worthKeeping || bytes > mostBytes / 4) return;
    this.#terms.set(key, { blocks, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#terms.keys()) {
      if (this.#bytes <= mostBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#terms.get(key)?.bytes ?? 0;
    this.#terms.delete(key);
  }
}

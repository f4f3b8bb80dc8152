import { LRUCache } from 'lru-cache';
import type { Block } from './postings.ts';

/** Bytes of blocks that are kept, of all workspaces together. */
const mostBytes = 16 * 2 ** 20;
/** Terms that have less are not kept: to read them again costs next to nothing. */
const worthKeeping = 1_024;

/**
 * Blocks that searches have read, of the terms that were asked for last. Most of what a search reads is of a few frequent
 * words; and under its number a block never changes.
 */
export class BlockCache {
  readonly #terms = new LRUCache<string, Block[]>({
    maxSize: mostBytes,
    maxEntrySize: mostBytes / 4,
    sizeCalculation: (blocks, key) => bytesOf(blocks) + key.length,
  });

  /** What is kept of a term, of all runs that it was read of. */
  get(workspaceId: string, term: string): Block[] {
    return this.#terms.get(`${workspaceId} ${term}`) ?? [];
  }

  /** Keeps these blocks of a term and no others; the terms that were asked for longest ago make room. */
  set(workspaceId: string, term: string, blocks: Block[]): void {
    const key = `${workspaceId} ${term}`;
    if (bytesOf(blocks) < worthKeeping) this.#terms.delete(key);
    else this.#terms.set(key, blocks);
  }
}

const bytesOf = (blocks: Block[]): number => blocks.reduce((sum, block) => sum + block.bytes.length, 0);

import { LRUCache } from 'lru-cache';
import { memoize } from '../core/lazy.ts';
import type { Block } from './postings.ts';

/** Size of the cache in bytes, for all workspaces together. */
const maxBytes = 16 * 2 ** 20;
/** Smaller terms are not cached: rereading them costs next to nothing. */
const worthKeeping = 1_024;

/**
 * LRU cache of the blocks that searches have read. Most of a search's reading is for a few frequent words, and the
 * blocks of a run never change.
 */
export class BlockCache {
  readonly #terms = new LRUCache<string, Block[]>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 4,
    sizeCalculation: (blocks, key) => bytesOf(blocks) + key.length,
  });

  /** Returns the cached blocks of a term, of all runs. */
  get(workspaceId: string, term: string): Block[] {
    return this.#terms.get(`${workspaceId} ${term}`) ?? [];
  }

  /** Replaces the cached blocks of a term. */
  set(workspaceId: string, term: string, blocks: Block[]): void {
    const key = `${workspaceId} ${term}`;
    if (bytesOf(blocks) < worthKeeping) this.#terms.delete(key);
    else this.#terms.set(key, blocks);
  }
}

/** Returns a function that gives each database its own cache. */
export const cachesByDatabase = (): ((database: object) => BlockCache) => memoize(() => new BlockCache());

const bytesOf = (blocks: Block[]): number => blocks.reduce((sum, block) => sum + block.bytes.length, 0);

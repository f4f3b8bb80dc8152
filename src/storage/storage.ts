import type { StorageConfig } from '../config-storage.ts';
import { createFolder } from './folder.ts';

/** A part of an object, both ends included, within its size. */
type ByteRange = { start: number; end: number };

/**
 * Objects by their keys: ids with slashes between them. Each is written once or anew with the same bytes. Everything
 * rejects with 503 `unavailable` when the place cannot be reached or written to.
 */
export type Storage = {
  /** When it resolves, the object is there whole; one that is half written is never seen. `hash`: its SHA-256, in hex. */
  put(key: string, bytes: Uint8Array, hash: string): Promise<void>;
  /** Null: there is none. */
  get(key: string): Promise<Uint8Array | null>;
  /** The object or a part of it, piece by piece, so that a large one needs no memory. Null: there is none. */
  open(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** One that is not there is deleted already. */
  delete(key: string): Promise<void>;
  /** Takes away what writers that died have left. */
  tidy(): Promise<void>;
};

/** The place of the configuration. Nothing is made or asked until the first use. */
export function createStorage(config: StorageConfig): Storage {
  if (config.kind === 'folder') return createFolder(config.folder);
  let opening: Promise<Storage> | undefined;
  // Loaded with the first object: a gateway that keeps none does without it.
  const bucket = () => (opening ??= import('./bucket.ts').then(({ createBucket }) => createBucket(config)));
  return {
    put: async (key, bytes, hash) => (await bucket()).put(key, bytes, hash),
    get: async (key) => (await bucket()).get(key),
    open: async (key, range) => (await bucket()).open(key, range),
    delete: async (key) => (await bucket()).delete(key),
    tidy: async () => (await bucket()).tidy(),
  };
}

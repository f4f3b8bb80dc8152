/** A part of an object: inclusive at both ends, and within its size. */
type ByteRange = { start: number; end: number };

/**
 * An object store. Keys have the form of key.ts; an object is only ever rewritten with the same bytes. Every method
 * rejects with 503 `unavailable` if the storage cannot be reached or written to.
 */
export type Storage = {
  /** Resolves once the object is stored in full; a partial write is never visible. `hash`: its SHA-256, in hex. */
  put(key: string, bytes: Uint8Array, hash: string): Promise<void>;
  /** Null if there is no such object. */
  get(key: string): Promise<Uint8Array | null>;
  /**
   * Streams the object, or a part of it, so that a large one need not fit in memory. Null if there is no such object.
   */
  open(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** Succeeds even if there is no such object. */
  delete(key: string): Promise<void>;
  /** Deletes what crashed writers left behind. */
  cleanUp(): Promise<void>;
};

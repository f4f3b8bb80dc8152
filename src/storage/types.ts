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

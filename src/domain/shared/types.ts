import type pg from 'pg';
import type { Viewer } from '../../core/viewer.ts';

/** A request with an Idempotency-Key. `fingerprint` is equal for equal requests. */
export type KeyedRequest = { key: string; fingerprint: string };

/** The response to a request, and to every repetition of it. */
export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

/** A response, and the ids of rows about persons that it contains. */
export type Outcome = { answer: StoredAnswer; subjects: string[] };

export type Client = Pick<pg.ClientBase, 'query'>;

type By = { viewer: Viewer; request: KeyedRequest };

/** Idempotency for operations that write by plain SQL. */
export type KeyedStatements = {
  /**
   * Runs one transaction on `client`: claims the key, calls `write` and stores its response; or returns the stored one.
   * Null, with nothing written, if `write` resolves to null or the key needs the general path. If it throws, the caller
   * rolls back; nothing was written, except perhaps for `OutcomeUnknown`.
   */
  once(client: Client, by: By, write: () => Promise<Outcome | null>): Promise<StoredAnswer | null>;
};

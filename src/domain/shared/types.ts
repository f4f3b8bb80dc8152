import type pg from 'pg';
import type { Viewer } from '../../core/viewer.ts';

/** A request that came with an Idempotency-Key. `fingerprint`: the same for the same request. */
export type KeyedRequest = { key: string; fingerprint: string };

/** What a request was answered, as every repetition of it is answered. */
export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

/** An answer, and the ids of the rows of persons that it tells of. */
export type Made = { answer: StoredAnswer; about: string[] };

export type Client = Pick<pg.ClientBase, 'query'>;

type By = { viewer: Viewer; request: KeyedRequest };

/** For whoever writes by SQL of their own: a request that came with an Idempotency-Key, carried out once. */
export type KeyedStatements = {
  /**
   * One transaction on `client`: takes the key, has `write` write, and keeps its answer; or gives the answer that is kept
   * already. Null when `write` answers null, or the key is for others to judge: then nothing was written. When it throws,
   * the caller rolls back, and nothing was written unless it is `OutcomeUnknown`.
   */
  once(client: Client, by: By, write: () => Promise<Made | null>): Promise<StoredAnswer | null>;
};

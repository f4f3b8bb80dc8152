/** A request with an Idempotency-Key. `fingerprint` is equal for equal requests. */
export type IdempotentRequest = { key: string; fingerprint: string };

/** The response to a request, and to every repetition of it. */
export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

/** A response, and the ids of the rows about persons that it contains. */
export type Outcome = { answer: StoredAnswer; personIds: string[] };

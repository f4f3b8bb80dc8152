import type { ModelAttempt } from '../types.ts';

const attempts = new WeakMap<object, ModelAttempt[]>();

/** Keeps with a failure what was tried before it, for the trace. */
export function withAttempts<T extends object>(error: T, tried: ModelAttempt[]): T {
  attempts.set(error, tried);
  return error;
}

/** What was tried before a failure of a model; none for other errors. */
export const attemptsBefore = (error: unknown): ModelAttempt[] =>
  (typeof error === 'object' && error !== null && attempts.get(error)) || [];

import type { ModelAttempt } from '../types.ts';

const attempts = new WeakMap<object, ModelAttempt[]>();

/** Attaches the attempts made so far to an error, for the trace. */
export function withAttempts<T extends object>(error: T, tried: ModelAttempt[]): T {
  attempts.set(error, tried);
  return error;
}

/** Returns the attempts made before a model error; none for other errors. */
export const attemptsBefore = (error: unknown): ModelAttempt[] =>
  (typeof error === 'object' && error !== null && attempts.get(error)) || [];

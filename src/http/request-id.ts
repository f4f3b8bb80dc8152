import { randomUUID } from 'node:crypto';

const MAX_LENGTH = 128;

/** Returns the caller's `X-Request-Id` if it is well-formed, otherwise a new one. */
export function requestIdOf(given: string | null | undefined): string {
  return given && given.length <= MAX_LENGTH && !/[^\w\-=]/.test(given) ? given : randomUUID();
}

import { randomUUID } from 'node:crypto';

const MAX_LENGTH = 128;

/** The caller's `X-Request-Id` when it is sane, else a new one. */
export function requestIdOf(given: string | null | undefined): string {
  return given && given.length <= MAX_LENGTH && !/[^\w\-=]/.test(given) ? given : randomUUID();
}

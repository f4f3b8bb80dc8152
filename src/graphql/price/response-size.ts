import type { ExecutionResult } from 'graphql';
import { invalid, type ParleyError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';

/** 400 for an operation whose response is too large: it would be held in memory several times. */
export const tooLargeResponse = (isWrite = false): ParleyError =>
  invalid(
    `The response is larger than ${limits.response / 1_000_000} MB: ask for smaller pages (first), or for fewer long fields.${isWrite ? ' Look at what it may have written before you repeat it.' : ''}`,
  );

/** Whether a result is larger than a response may be, as JSON, before it is written as such. It stops where that is known. */
export const isTooLarge = (result: unknown): boolean => measure(result, limits.response) < 0;

/** The result, or an error instead of one that is too large. */
export const sendable = (result: ExecutionResult, isWrite = false): ExecutionResult =>
  isTooLarge(result) ? { errors: [tooLargeResponse(isWrite)] } : result;

/** What is left of a number of bytes after a value; below 0 as soon as it does not fit. Characters count as one byte. */
function measure(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 2;
  if (typeof value !== 'object' || value === null) return room - 4;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = measure(item, left - 1);
      if (left < 0) break;
    }
    return left;
  }
  for (const key in value) {
    left = measure((value as Record<string, unknown>)[key], left - key.length - 4);
    if (left < 0) break;
  }
  return left;
}

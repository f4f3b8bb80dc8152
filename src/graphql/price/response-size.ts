import type { ExecutionResult } from 'graphql';
import { invalid, type ParleyError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';

/** 400 for an operation whose response is too large: it would be held in memory several times. */
export const tooLargeResponse = (isWrite = false): ParleyError =>
  invalid(
    `The response is larger than ${limits.response / 1_000_000} MB: ask for smaller pages (first), or for fewer long fields.${isWrite ? ' Look at what it may have written before you repeat it.' : ''}`,
  );

/**
 * Whether a result is larger than a response may be, as JSON, before it is written as such. It stops where that is
 * known.
 */
export const isTooLarge = (result: unknown): boolean =>
  measure(result, limits.response, mostBytes) < 0 && measure(result, limits.response, bytes) < 0;

/** The result, or an error instead of one that is too large. */
export const sendable = (result: ExecutionResult, isWrite = false): ExecutionResult =>
  isTooLarge(result) ? { errors: [tooLargeResponse(isWrite)] } : result;

/** Texts that JSON has as they are, a byte for each character. */
const plain = /^[ !#-[\]-~]*$/;

/** The bytes of a value without parts, as JSON; and the most that they can be, which takes no time to know. */
function bytes(value: unknown): number {
  if (typeof value === 'string' && plain.test(value)) return value.length + 2;
  if (typeof value === 'boolean') return value ? 4 : 5;
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}
const mostBytes = (value: unknown): number => (typeof value === 'string' ? 6 * value.length + 2 : 25);

/** What is left of a number of bytes after a value; below 0 as soon as it does not fit. */
function measure(value: unknown, room: number, bytesOf: (value: unknown) => number): number {
  if (typeof value !== 'object' || value === null) return room - bytesOf(value);
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = measure(item, left - 1, bytesOf);
      if (left < 0) break;
    }
    return left;
  }
  for (const key in value) {
    left = measure((value as Record<string, unknown>)[key], left - bytesOf(key) - 2, bytesOf);
    if (left < 0) break;
  }
  return left;
}

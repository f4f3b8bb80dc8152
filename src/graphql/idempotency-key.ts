import { createHash } from 'node:crypto';
import { invalid } from '../core/errors.ts';

/** Returns the Idempotency-Key of a request; null without one. Throws 400. */
export function keyIn(headers: { get(name: string): string | null }): string | null {
  const given = headers.get('idempotency-key');
  if (given === null) return null;
  const key = given.trim();
  if (key === '' || key.length > 255) throw invalid('Idempotency-Key: must have 1 to 255 characters');
  return key;
}

/** Returns a hash that is the same for equal requests, in whatever order their objects have their keys. */
export const fingerprintOf = (request: unknown): string =>
  createHash('sha256').update(JSON.stringify(request, sorted)).digest('hex');

const sorted = (_key: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Returns the fingerprint of a GraphQL request. */
export const fingerprintOfOperation = (query: unknown, operationName: unknown, variables: unknown): string =>
  fingerprintOf(['graphql', query, operationName ?? null, variables ?? {}]);

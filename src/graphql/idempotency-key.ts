import { invalid } from '../core/errors.ts';
import { fingerprintOf } from '../domain/shared/idempotency/keys.ts';
import type { IdempotentRequest } from '../domain/shared/types.ts';

type Headers = { get(name: string): string | null };

/**
 * Returns the Idempotency-Key of a request with its fingerprint: `surface` and `parts` are what makes two requests the
 * same. Null without a key. Throws 400.
 */
export function idempotentRequest(
  headers: Headers,
  surface: 'graphql' | 'rest',
  parts: unknown[],
): IdempotentRequest | null {
  const given = headers.get('idempotency-key');
  if (given === null) return null;
  const key = given.trim();
  if (key === '' || key.length > 255) throw invalid('Idempotency-Key: must have 1 to 255 characters');
  return { key, fingerprint: fingerprintOf([surface, ...parts]) };
}

/** The same of a GraphQL request. */
export const idempotentOperation = (
  headers: Headers,
  { query, operationName, variables }: { query: unknown; operationName?: unknown; variables?: unknown },
): IdempotentRequest | null => idempotentRequest(headers, 'graphql', [query, operationName ?? null, variables ?? {}]);

import { limits } from '../core/limits.ts';
import { fingerprintOf, keyIn } from '../graphql/idempotency-key.ts';
import type { KeyedRequest } from '../graphql/run.ts';
import type { RequestParts } from './input.ts';
import { type Route, takesKey } from './route.ts';

/**
 * Returns the Idempotency-Key of a write, with a fingerprint of its path, query and body; null without one. Throws 400.
 */
export async function keyedRequest(route: Route, parts: RequestParts): Promise<KeyedRequest | null> {
  const key = takesKey(route) ? keyIn(parts.headers) : null;
  if (key === null) return null;
  const { method, path, body, bodyLimit } = route;
  const json = body ? await parts.json(bodyLimit ?? limits.body) : null;
  return { key, fingerprint: fingerprintOf(['rest', method, path, parts.params, parts.query, json ?? null]) };
}

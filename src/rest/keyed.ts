import { limits } from '../core/limits.ts';
import { fingerprintOf, keyIn } from '../graphql/idempotency-key.ts';
import type { KeyedRequest } from '../graphql/run.ts';
import type { RequestParts } from './input.ts';
import { type Route, takesKey } from './route.ts';

/**
 * Returns the Idempotency-Key of a write, with a fingerprint of its path, query and body; null without one. Throws 400.
 */
export async function keyedRequest(route: Route, said: RequestParts): Promise<KeyedRequest | null> {
  const key = takesKey(route) ? keyIn(said.headers) : null;
  if (key === null) return null;
  const { method, path, body, bodyLimit } = route;
  const json = body ? await said.json(bodyLimit ?? limits.body) : null;
  return { key, fingerprint: fingerprintOf(['rest', method, path, said.params, said.query, json ?? null]) };
}

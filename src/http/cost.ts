import type { IncomingMessage } from 'node:http';
import type { Cost } from '../core/load.ts';

/** A body of more bytes carries large or bulk content. */
const largeBody = 100_000;

/** Never shed under load: probes, and the keys that others verify our tokens with. */
const alwaysServed = /^\/(health|ready|\.well-known\/jwks\.json)$/;
/** Writes that start a turn or have sources read. */
const expensiveWrites = /^\/(api\/|v1\/chat\/|widget\/messages|rest\/bases)/;

/**
 * The cost class of a request, judged by its head alone; null if it is never refused. GraphQL operations count as cheap
 * until their document is known: see src/graphql/cost.ts.
 */
export function requestCost({
  method = '',
  url = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Cost | null {
  const [path = ''] = url.split('?', 1);
  if (alwaysServed.test(path)) return null;
  if (Number(headers['content-length'] ?? 0) > largeBody) return 'expensive';
  if (path === '/graphql') return 'cheap';
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
    return path.startsWith('/files/') ? 'ordinary' : 'cheap';
  return method === 'DELETE' || !expensiveWrites.test(path) ? 'ordinary' : 'expensive';
}

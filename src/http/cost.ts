import type { IncomingMessage } from 'node:http';
import type { Cost } from '../core/load.ts';

/** A body of more bytes holds content, or much of it. */
const largeBody = 100_000;

/** Refused by no load: probes, and the keys by which others check our tokens. */
const alwaysServed = /^\/(health|ready|\.well-known\/jwks\.json)$/;
/** Turns, and sources that are to be read. */
const expensiveWrites = /^\/(api\/|widget\/messages|rest\/bases)/;

/**
 * What a request costs by its head alone; null when it is always served. An operation of GraphQL counts as cheap until its
 * document is known: see src/graphql/cost.ts.
 */
export function costOf({
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

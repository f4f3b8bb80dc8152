/** Preloaded to break the gateway: rolls back every third transaction, but reports success. */
import pg from 'pg';

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
let commits = 0;
prototype.query = function (...args: unknown[]) {
  const [first] = args;
  const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
  if (text !== 'COMMIT') return query.apply(this, args);
  commits += 1;
  if (commits % 3 !== 0) return query.apply(this, args);
  const undone = query.call(this, 'ROLLBACK') as Promise<{ command: string }>;
  return undone.then((result) => ({ ...result, command: 'COMMIT' }));
};

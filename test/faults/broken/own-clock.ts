/** Preloaded to break the gateway: it judges leases by its own clock, not by the database's. */
import pg from 'pg';

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
const own = (text: string) => text.replaceAll(/clock_timestamp\(\)/g, () => `to_timestamp(${Date.now() / 1000})`);

prototype.query = function (...args: unknown[]) {
  const [first, ...rest] = args;
  if (typeof first === 'string') return query.call(this, own(first), ...rest);
  const statement = first as { text?: unknown };
  if (typeof statement.text === 'string') statement.text = own(statement.text);
  return query.call(this, first, ...rest);
};

/**
 * Preloaded to break the gateway: a migration script does not record its own end, and the
 * process dies before the engine does.
 */
import pg from 'pg';

const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
const ending = /;UPDATE _prisma_migrations SET finished_at[^;]*;\s*$/;

prototype.query = function (...args: unknown[]) {
  const [first, ...rest] = args;
  const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
  if (text.startsWith('UPDATE "_prisma_migrations"')) process.kill(process.pid, 'SIGKILL');
  return query.call(this, typeof first === 'string' ? text.replace(ending, ';') : first, ...rest);
};

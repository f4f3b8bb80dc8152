import pg from 'pg';

/**
 * Preloaded to kill a gateway at a statement: `before` it is sent; when it is `sent`, and nobody knows whether
 * the database received it; or `after` its answer. `about`: count only statements that contain this text.
 */
export type KillPoint = { statements: number; when: 'before' | 'sent' | 'after'; about?: string };

let left = Number.POSITIVE_INFINITY;
let when: KillPoint['when'] = 'before';
let about = '';
process.on('message', (point: KillPoint) => {
  left = point.statements;
  when = point.when;
  about = point.about ?? '';
});

// Do not keep a gateway alive that fails to start.
process.channel?.unref();

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { text?: string } | undefined)?.text ?? '');
const die = () => process.kill(process.pid, 'SIGKILL');
const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
const { query } = prototype;
prototype.query = function (...args: unknown[]) {
  if (about === '' || textOf(args[0]).includes(about)) left -= 1;
  if (left > 0) return query.apply(this, args);
  if (when === 'before') die();
  const answer = query.apply(this, args);
  if (when === 'after' && answer instanceof Promise) void answer.finally(die);
  else die();
  return answer;
};

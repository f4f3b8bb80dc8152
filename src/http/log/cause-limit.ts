import { LRUCache } from 'lru-cache';
import type { LoggerOptions } from 'pino';
import { failureCode } from '../../database/errors.ts';

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** Shortest time between two lines of one cause, in milliseconds. */
const intervalMs = 1_000;
/** The most causes remembered at once. */
const maxCauses = 1_000;

/**
 * A hook for pino that limits lines whose details have a `cause`, such as `model fast: HTTP 500`, to one a second for
 * each cause, so that an outage does not flood the log. The next line of the cause has the number of those `leftOut`.
 * Lines with an `err` of the database, the network or the disk get a cause of their message. Its state is shared by all
 * child loggers.
 */
export function limitCauses(now: () => number = () => performance.now()): LogMethod {
  const causes = new LRUCache<string, { since: number; leftOut: number }>({ max: maxCauses });
  return function (args, method) {
    const [given, ...rest] = args as unknown as [object, ...unknown[]];
    const details = withCause(given, rest[0]);
    const write = (first: unknown) => method.apply(this, [first, ...rest] as unknown as Parameters<typeof method>);
    const cause = causeIn(details);
    if (cause === null) return write(details);
    const earlier = causes.get(cause);
    if (earlier && now() - earlier.since < intervalMs) {
      earlier.leftOut += 1;
      return;
    }
    causes.set(cause, { since: now(), leftOut: 0 });
    write(earlier?.leftOut ? { ...details, leftOut: earlier.leftOut } : details);
  };
}

function withCause(details: object, message: unknown): object {
  if (typeof details !== 'object' || details === null || !('err' in details) || 'cause' in details) return details;
  const code = failureCode(details.err);
  return code ? { cause: `${String(message)}: ${code}`, ...details } : details;
}

function causeIn(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || details instanceof Error || !('cause' in details)) return null;
  return typeof details.cause === 'string' ? details.cause : null;
}

import type { Logger } from 'pino';
import { ParleyError } from '../core/errors.ts';
import { type Fallback, telemetry } from '../core/telemetry.ts';
import { databaseError } from '../database/errors.ts';

/** The operation cannot be compiled: the resolvers handle it, and report its errors. The message is for the log. */
export class UnsupportedQuery extends Error {
  override name = 'UnsupportedQuery';
  /** What is counted if a statement has run. */
  fallback: Fallback = 'field';
}

/** Throws `UnsupportedQuery`. */
export function unsupported(reason: string, fallback: Fallback = 'field'): never {
  throw Object.assign(new UnsupportedQuery(reason), { fallback });
}

/** Returns the result of `make`, or its `UnsupportedQuery` as a value, so that it can be cached. */
export function orUnsupported<Value>(make: () => Value): Value | UnsupportedQuery {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnsupportedQuery) return error;
    throw error;
  }
}

/**
 * Logs why the resolvers answer, and counts it if a statement has run before. An error of the database is a bug here or
 * its failure, and deserves a warning, unless values are wrong or rows conflict: the resolvers say which.
 */
export function logUnsupported(log: Pick<Logger, 'warn' | 'debug'>, error: unknown, hasRun = false): void {
  const reason = fallbackOf(error);
  if (hasRun) telemetry.fallback.publish(() => ({ reason }));
  const isFailure = reason === 'database' || (reason === 'unexpected' && hasRun);
  if (isFailure) log.warn({ err: error }, 'a compiled query failed');
  else
    log.debug(
      { reason: error instanceof Error ? error.message : String(error) },
      hasRun ? 'compiled, but resolvers answer' : 'not compiled',
    );
}

function fallbackOf(error: unknown): Fallback {
  if (error instanceof UnsupportedQuery) return error.fallback;
  // Of the second attempt to prepare a write: the first was a statement, and has found nothing.
  if (error instanceof ParleyError) return 'not_written';
  const { severity, code } = error as { severity?: string; code?: string };
  const failure = databaseError(error);
  if (failure?.code === 'invalid_request') return 'value';
  if (severity && code?.startsWith('23')) return 'constraint';
  return severity || failure ? 'database' : 'unexpected';
}

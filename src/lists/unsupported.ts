import type { Logger } from 'pino';

/** The operation cannot be compiled: the resolvers handle it, and report its errors. The message is for the log. */
export class UnsupportedQuery extends Error {
  override name = 'UnsupportedQuery';
}

/** Throws `UnsupportedQuery`. */
export function unsupported(reason: string): never {
  throw new UnsupportedQuery(reason);
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
 * Logs why a compiled query was not used. An error of the database is a bug here or its failure, and deserves a
 * warning.
 */
export function logUnsupported(log: Pick<Logger, 'warn' | 'debug'>, error: unknown): void {
  if (error instanceof Error && 'severity' in error) log.warn({ err: error }, 'a compiled query failed');
  else log.debug({ reason: error instanceof UnsupportedQuery ? error.message : String(error) }, 'not compiled');
}

import type { Logger } from 'pino';

/** No compiled query answers this operation: the resolvers do, and give its errors too. Says why, for the log. */
export class UnsupportedQuery extends Error {
  override name = 'UnsupportedQuery';
}

/** Leaves an operation to the resolvers. */
export function unsupported(why: string): never {
  throw new UnsupportedQuery(why);
}

/** What `make` makes, or its refusal as a value, so that it can be remembered. */
export function orUnsupported<Value>(make: () => Value): Value | UnsupportedQuery {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnsupportedQuery) return error;
    throw error;
  }
}

/** What the database refuses is a fault of the compiled query, or of the database: worth a line, and the resolvers' turn. */
export function note(log: Pick<Logger, 'warn' | 'debug'>, error: unknown): void {
  if (error instanceof Error && 'severity' in error) log.warn({ err: error }, 'a compiled query failed');
  else log.debug({ why: error instanceof UnsupportedQuery ? error.message : String(error) }, 'not compiled');
}

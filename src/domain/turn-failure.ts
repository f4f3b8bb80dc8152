import type { Logger } from 'pino';
import { databaseError } from '../database/errors.ts';
import { ParleyError } from '../errors.ts';

/** A failure of a turn as its caller hears of it. The unforeseen is logged. */
export function failureOf(error: unknown, log: Pick<Logger, 'error'>): ParleyError {
  const known = error instanceof ParleyError ? error : databaseError(error);
  if (!known) log.error({ err: error }, 'unexpected failure of a turn');
  return known ?? new ParleyError('internal_error', 'Something went wrong on our side.');
}

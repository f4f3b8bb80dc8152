import { ParleyError } from '../core/errors.ts';

const later = 'The attachment storage is not available: try again later.';

/** 503: nothing was stored, so the request may be retried. `cause` only goes to the log. */
export const storageFailure = (cause: unknown, message = later): ParleyError =>
  new ParleyError('unavailable', message, { cause });

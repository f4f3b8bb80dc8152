import { ParleyError } from '../core/errors.ts';

const unavailableMessage = 'The attachment storage is not available: try again later.';

/** 503: nothing was stored, so the request may be retried. `cause` only goes to the log. */
export const storageFailure = (cause: unknown, message = unavailableMessage): ParleyError =>
  new ParleyError('unavailable', message, { cause });

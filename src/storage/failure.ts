import { ParleyError } from '../core/errors.ts';

const later = 'The storage of attachments cannot be used now: try again later.';

/** 503: what is sent is not lost, since nothing was taken yet, and may be sent again. `cause` is for the log alone. */
export const storageFailure = (cause: unknown, message = later): ParleyError =>
  new ParleyError('unavailable', message, { cause });

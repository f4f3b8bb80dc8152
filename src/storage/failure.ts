import { ParleyError } from '../errors.ts';

/** 503: what is sent is not lost, since nothing was taken yet, and may be sent again. `cause` is for the log alone. */
export const storageFailure = (cause: unknown): ParleyError =>
  new ParleyError('unavailable', 'The storage of attachments cannot be used now: try again later.', { cause });

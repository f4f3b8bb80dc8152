import { ExtractFailure } from './extract-failure.ts';

export const tooSlow = () => new ExtractFailure('It takes too long to read: split it');
export const tooLarge = () => new ExtractFailure('It takes too much memory to read: split it');

/** The child process died. `detail` is for the log. */
export const crashed = (detail: string) =>
  new ExtractFailure('It could not be read: reading it ended unexpectedly: try again, or save the file anew', {
    cause: new ReaderCrash(detail),
  });

export class ReaderCrash extends Error {
  override name = 'ReaderCrash';
}

/** Restores an error that a child process reported: a bug of ours, not a fault of the file. */
export function faultOf({ message, stack }: { message: string; stack?: string | undefined }): Error {
  const error = new Error(message);
  if (stack) error.stack = stack;
  return error;
}

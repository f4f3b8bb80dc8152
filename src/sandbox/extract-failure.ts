export const failureName = 'ExtractFailure';

/** Why a source cannot be read, in a message for users: what is wrong with it and, if there is one, the workaround. */
export class ExtractFailure extends Error {
  override name = failureName;
  /** Reading the same source again would fail again. */
  readonly retryable = false;
}

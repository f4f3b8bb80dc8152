/** Why a source cannot be read, in words for people: what is wrong with it and, where there is one, the way around. */
export class ExtractFailure extends Error {
  override name = 'ExtractFailure';
  /** The same source would fail again. */
  readonly retryable = false;
}

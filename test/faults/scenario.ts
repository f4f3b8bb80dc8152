/** A fault that cannot be made here. */
export class Skipped extends Error {
  override name = 'Skipped';
}

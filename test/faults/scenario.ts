/** A fault that cannot be produced on this machine. */
export class Skipped extends Error {
  override name = 'Skipped';
}

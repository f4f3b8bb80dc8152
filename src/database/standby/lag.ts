/** How many positions of the primary are kept while the standby has not reached them. */
const maxSamples = 1_000;

/**
 * Computes how far a standby is behind its primary, from positions in the primary's write-ahead log and the times at
 * which they were read. Times are in milliseconds, of one clock that never jumps.
 */
export class Lag {
  /** Positions that the standby has not reached, oldest first. */
  #samples: { at: number; position: bigint }[] = [];
  /** At least this far apart, in milliseconds, except for the last. */
  #gapMs = 0;
  #reachedAt: number | null = null;

  /** Everything committed before `at` is within the first `position` bytes of the log. */
  wrote(at: number, position: bigint): void {
    const [previous, last] = [this.#samples.at(-2), this.#samples.at(-1)];
    if (last && (last.position === position || (previous && last.at - previous.at < this.#gapMs))) this.#samples.pop();
    this.#samples.push({ at, position });
    if (this.#samples.length <= maxSamples) return;
    // The further the standby is behind, the less precise its age has to be.
    this.#gapMs = 2 * (this.#gapMs || 500);
    this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
  }

  /** The standby has replayed the first `position` bytes of the log. */
  replayed(position: bigint): void {
    const isReached = (sample: { position: bigint }) => sample.position <= position;
    this.#reachedAt = this.#samples.findLast(isReached)?.at ?? this.#reachedAt;
    this.#samples = this.#samples.filter((sample) => !isReached(sample));
    if (this.#samples.length === 0) this.#gapMs = 0;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#samples = [];
    this.#reachedAt = null;
  }

  /** By how much the standby is behind at `now`, at most; null if that is unknown. */
  ageMs(now: number): number | null {
    return this.#reachedAt === null ? null : now - this.#reachedAt;
  }
}

/** Reasons to answer no operation at all. */
const invalid = new Set(['a document that is not valid', 'variables that do not fit']);

/** How many valid random operations compiled queries answered, and what they left to the resolvers. */
export class Tally {
  /** Answered by compiled queries, in whole or but for some fields. */
  served = 0;
  failed = 0;
  #count = 0;
  #whole = 0;
  #servedFailures = 0;
  readonly #fields = new Map<string, number>();
  readonly #reasons = new Map<string, number>();

  /** `said`: the log line of the compiled queries about the operation. */
  add(served: boolean, failed: boolean, said: string): void {
    const { reason, left = [] } = said === '' ? {} : (JSON.parse(said) as { reason?: string; left?: string[] });
    if (invalid.has(reason ?? '')) return;
    this.#count += 1;
    if (failed) this.failed += 1;
    if (!served) return count(this.#reasons, reason ?? 'a refused request');
    this.served += 1;
    if (failed) this.#servedFailures += 1;
    if (left.length === 0) this.#whole += 1;
    for (const field of left) count(this.#fields, field);
  }

  told(seed: number): string {
    const share = (part: number) => `${((100 * part) / this.#count).toFixed(1)} %`;
    return [
      `seed ${seed}, ${this.#count} valid operations, ${this.failed} with errors`,
      `compiled: ${share(this.served)}, of them whole: ${share(this.#whole)}, with errors: ${this.#servedFailures}`,
      'left to resolvers, by field:',
      ...listed(this.#fields),
      'left to resolvers as a whole, by reason:',
      ...listed(this.#reasons),
    ].join('\n');
  }
}

function count(counts: Map<string, number>, key: string): void {
  const short = key.length > 120 ? `${key.slice(0, 120)}…` : key;
  counts.set(short, (counts.get(short) ?? 0) + 1);
}

const listed = (counts: Map<string, number>) =>
  [...counts].sort(([, one], [, other]) => other - one).map(([key, times]) => `${String(times).padStart(6)}  ${key}`);

/**
 * A cache of bounded size: at least the `max` entries that were used last are kept, and at most twice as many. What is
 * used often costs one look-up; entries are not put in order one by one, but a full half at a time.
 */
export class Recent<Value> {
  readonly #max: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The kept value, or the one that `make` makes now. What `make` throws is not kept. */
  get(key: string, make: () => Value): Value {
    const kept = this.#young.get(key);
    if (kept !== undefined) return kept;
    const value = this.#old.get(key) ?? make();
    this.#young.set(key, value);
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    return value;
  }
}

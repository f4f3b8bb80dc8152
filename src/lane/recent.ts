/** A cache of bounded size: when it is full, what was not used for the longest time goes. */
export class Recent<Value> {
  readonly #max: number;
  readonly #entries = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The kept value, or the one that `make` makes now. What `make` throws is not kept. */
  get(key: string, make: () => Value): Value {
    const kept = this.#entries.get(key);
    const value = kept ?? make();
    if (kept !== undefined) this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#max) this.#dropOldest();
    return value;
  }

  get size(): number {
    return this.#entries.size;
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}

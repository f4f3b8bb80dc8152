/** Random numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Random choices, the same for the same seed. */
export class Random {
  /** A number from 0 up to 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomOf(seed);
  }

  /** True with this probability. */
  chance(likelihood: number): boolean {
    return this.next() < likelihood;
  }

  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }

  /** Some of the items in random order, at least one if there are any. */
  some<Item>(items: readonly Item[], share = 0.4): Item[] {
    const kept = items.filter(() => this.chance(share));
    return this.shuffled(kept.length > 0 || items.length === 0 ? kept : [this.pick(items)]);
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

/** A small seeded random number generator (mulberry32), so that every demo is the same. */
export function randomFrom(seed: number) {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    random,
    /** An integer from 0 up to, but excluding, `end`. */
    below: (end: number): number => Math.floor(random() * end),
    pick: <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T,
  };
}

const PARTS = 8;
const ROUNDS = 12;
const LINEAR = 3;

/**
 * How many times as long one text takes as eight texts of an eighth of its length do: about 1 where the time grows with the
 * length, 8 where it grows with its square, 64 with its cube. Both are measured side by side, and of some rounds the least
 * counts, so that neither the machine nor what else runs on it makes a difference. `work` is given a length.
 */
export async function growth(length: number, work: (length: number) => unknown): Promise<number> {
  let [whole, parts] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const few = async () => {
    for (let part = 0; part < PARTS; part++) await work(Math.ceil(length / PARTS));
  };
  for (let round = 0; round < ROUNDS && !(whole / parts < LINEAR); round++) {
    whole = Math.min(whole, await millisecondsOf(() => work(length)));
    parts = Math.min(parts, await millisecondsOf(few));
  }
  return whole / parts;
}

async function millisecondsOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

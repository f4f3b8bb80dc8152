import type fc from 'fast-check';

/** What every random test begins from: the same each time, so that a failure comes back. FUZZ_SEED sets another. */
export const seed = Number(process.env.FUZZ_SEED ?? 20261121);

/** Options of `fc.assert`; its failure names the seed and the smallest case it found. */
export const options = (numRuns: number): fc.Parameters<unknown> => ({ seed, numRuns, endOnFailure: false });

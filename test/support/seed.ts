import type fc from 'fast-check';

/** What every random test begins from: the same each time, so that a failure comes back. FUZZ_SEED sets another. */
export const seed = Number(process.env.FUZZ_SEED ?? 20261121);

/** Options of `fc.assert`. `about` names what is tested, so that each such thing meets other cases of the same seed. */
export function options(numRuns: number, about: string): fc.Parameters<unknown> {
  let own = seed;
  for (const letter of about) own = (Math.imul(own, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return { seed: own, numRuns };
}

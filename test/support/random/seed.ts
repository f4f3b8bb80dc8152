import fc from 'fast-check';

/** The seed of every random test, fixed so that failures are reproducible. FUZZ_SEED sets another. */
export const seed = Number(process.env.FUZZ_SEED ?? 20261121);

/** Options for `fc.assert`. `about` names the subject, so that each subject gets different cases from one seed. */
export function options(numRuns: number, about: string): fc.Parameters<unknown> {
  let own = seed;
  for (const letter of about) own = (Math.imul(own, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return { seed: own, numRuns };
}

/** `count` random values. */
export const sampleOf = <Value>(values: fc.Arbitrary<Value>, count: number, about: string): Value[] =>
  fc.sample(values, options(count, about) as fc.Parameters<Value>);

import { Random } from './random.ts';
import { seed } from './seed.ts';

/**
 * Whether generated tests run all their cases (`npm run test:all`), or the seeded part of them that `npm test` runs.
 */
const runsAll = process.env.TEST_CASES === 'all';

/** How many random cases to run: all, or a fifth. */
export const casesOf = (all: number): number => (runsAll ? all : Math.ceil(all / 5));

/** All cases in their order, or a seeded one of each kind. */
export function oneOfEach<Case>(cases: readonly Case[], kindOf: (one: Case) => string): Case[] {
  if (runsAll) return [...cases];
  const random = new Random(seed);
  const chosen = new Set(Object.values(Object.groupBy(cases, kindOf)).map((alike) => random.pick(alike ?? [])));
  return cases.filter((one) => chosen.has(one));
}

/** All cases in their order, or a seeded part of `count`. */
export function someOf<Case>(cases: readonly Case[], count: number): Case[] {
  if (runsAll) return [...cases];
  const chosen = new Set(new Random(seed).shuffled(cases).slice(0, count));
  return cases.filter((one) => chosen.has(one));
}

/**
 * All cases, or the seeded share of them that falls to the `place`th of `count` that have the same cases: together they
 * run each.
 */
export const shareOf = <Case>(cases: readonly Case[], place: number, count: number): Case[] =>
  cases.filter((_, index) => runsAll || (index + seed) % count === place % count);

/** The kind of a mutation or REST operation, by its name: `create` of `createLead`. */
export const verbOf = (name: string): string => /^[a-z]+/.exec(name)?.[0] ?? name;

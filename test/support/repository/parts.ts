import { execFileSync } from 'node:child_process';
import { comparingBothWays } from './without-database.ts';

/** Of tests that are too long to run all of them for each change: a run takes every `of`-th, and `part` says which. */
export type Part = { part: number; of: number };

/** The part that TEST_PART names, such as `2/5`; null if a run takes all. */
export function partNamed(text: string | undefined): Part | null {
  if (!text) return null;
  const [part = Number.NaN, of = Number.NaN] = text.split('/').map(Number);
  if (!(part >= 1 && part <= of)) throw new Error(`TEST_PART is a part such as 2/5, not ${text}`);
  return { part, of };
}

/** Neighbours are in different parts, so that each part has tests of every area with as many tests as parts. */
export const inPart = (files: string[], { part, of }: Part): string[] =>
  files.toSorted().filter((_, index) => index % of === part - 1);

/** Where in the paths of a change an area has another name than its folder of tests. */
const otherNames: [RegExp, string][] = [
  [/^prisma\//, 'database'],
  [/^(scripts\/|Dockerfile|package(-lock)?\.json|\.npmrc)/, 'repository'],
  [/^(docs|examples)\//, 'documents'],
];

/** The tests of the areas that a change touches: those whose folder a path names, as one or as a file. */
export function ofTouchedAreas(tests: string[], changed: string[]): string[] {
  const areas = new Set(
    changed.flatMap((file) => [
      ...file.split(/[/.]/).filter((name) => name !== 'domain'),
      ...otherNames.filter(([path]) => path.test(file)).map(([, area]) => area),
    ]),
  );
  return tests.filter((test) => areas.has(test.split('/')[1] ?? ''));
}

/** The files that a branch changes, or else the last commit; none in a clone that does not know what was before. */
export function changedFiles(): string[] {
  const landed = git('merge-base', 'HEAD', 'origin/HEAD');
  const before = landed === git('rev-parse', 'HEAD') ? null : landed;
  return git('diff', '--name-only', before ?? 'HEAD~1', 'HEAD')?.split('\n') ?? [];
}

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

/** The system tests of a part, and of whatever the change touches. */
export const systemTestsOf = (tests: string[], part: Part, changed = changedFiles()): string[] => [
  ...new Set([...ofTouchedAreas(tests, changed), ...inPart(tests, part)]),
];

const generated = /^test\/(compiled|graphql)\//;
/**
 * What is left out of a part on PostgreSQL: most of the tests of generated operations, both ways of which any database
 * serves alike. On the embedded one all of them are run.
 */
export function comparedOnlyInOtherParts(part: Part): string[] {
  const tests = comparingBothWays().filter((file) => generated.test(file));
  const chosen = new Set(inPart(tests, part));
  return tests.filter((file) => !chosen.has(file));
}

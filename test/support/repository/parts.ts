import { changeOf } from './changes.ts';
import { textOf } from './imports.ts';
import { comparingBothWays } from './without-database.ts';

/** Of tests that are too long to run all of them for each change: a run takes every `of`-th, and `part` says which. */
export type Part = { part: number; of: number };

/** The part that TEST_PART names, such as `2/5`; null if a run takes all. */
export function partNamed(text: string | undefined): Part | null {
  if (!text) return null;
  const [part = 0, of = 0] = /^\d+\/\d+$/.test(text) ? text.split('/').map(Number) : [];
  if (!(part >= 1 && part <= of)) throw new Error(`TEST_PART is a part such as 2/5, not ${text}`);
  return { part, of };
}

/** Neighbours are in different parts, so that each part has tests of every area with as many tests as parts. */
export const inPart = (files: string[], { part, of }: Part): string[] =>
  files.toSorted().filter((_, index) => index % of === part - 1);

/** The tests that kill a process which serves, and look at what it leaves to others. */
const lives = ['domain', 'turns', 'workers'];

/** What a change reaches besides the tests of its own folder. */
const reached: [RegExp, string[]][] = [
  [/^src\/([^/]+\.ts$|(cli|core|domain|jobs|model|net|queue|storage)\/)/, lives],
  [/^src\/cli\//, ['auth', 'saved']],
  [/^src\/(compiled|lists)\//, ['graphql', 'rest']],
  [/^src\/sandbox\//, ['knowledge']],
  [/^src\/bundle\//, ['knowledge', 'repository', 'workers']],
  [/^src\/text\//, ['search']],
  [/^src\/(mcp|openai)\//, ['turns']],
  [/^prisma\//, ['database']],
  [/^(scripts\/|Dockerfile|package(-lock)?\.json|\.npmrc)/, ['repository']],
  [/^(docs|examples)\//, ['documents']],
];

/** What every test hangs on. To run all of them would take too long, so one more part of them runs. */
const reachesAll = /^(\.ci\/|vitest\.config\.ts$|test\/support\/)/;

/** The tests of the areas that a change touches: those whose folder a path names, as one or as a file. */
export function ofTouchedAreas(tests: string[], changed: string[]): string[] {
  const areas = new Set(
    changed.flatMap((file) => [
      ...file.split(/[/.]/),
      ...reached.flatMap(([path, others]) => (path.test(file) ? others : [])),
    ]),
  );
  return tests.filter((test) => areas.has(test.split('/')[1] ?? ''));
}

/** The system tests of a part and of whatever the change touches; `why` says it in a line. */
export function systemTestsOf(
  tests: string[],
  { part, of }: Part,
  change = changeOf(),
): { files: string[]; why: string } {
  const touched = ofTouchedAreas(tests, change.files);
  const support = change.files.find((file) => reachesAll.test(file));
  const chosen = [part, ...(support ? [(part % of) + 1] : [])];
  const files = [...new Set([...chosen.flatMap((one) => inPart(tests, { part: one, of })), ...touched])];
  const areas = [...new Set(touched.map((test) => test.split('/')[1]))].join(', ') || 'no area';
  const parts = `part ${chosen.map((one) => `${one}/${of}`).join(' and ')}${support ? ` (${support} changed)` : ''}`;
  const changed = `${change.files.length} files changed since ${change.since}`;
  return { files, why: `System tests: ${files.length} of ${tests.length}: ${parts}; ${areas}, by ${changed}` };
}

const area = /^test\/(compiled|graphql)\//;
const isGenerated = /\b(casesOf|oneOfEach|someOf|sampleOf)\(|\bnew Random\(|\bfc\.assert\(/;
const namesServer = /postgres|TEST_DATABASE_URL/i;
/**
 * What is left out of a part on PostgreSQL: most of the tests of generated operations, both ways of which any database
 * serves alike. On the embedded one all of them are run.
 */
export function comparedOnlyInOtherParts(part: Part): string[] {
  const tests = comparingBothWays().filter((file) => {
    const text = textOf(file);
    return area.test(file) && isGenerated.test(text) && !namesServer.test(text);
  });
  const chosen = new Set(inPart(tests, part));
  return tests.filter((file) => !chosen.has(file));
}

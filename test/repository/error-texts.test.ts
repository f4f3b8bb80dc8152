import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
/** The code that writes texts for callers and operators, without comments. */
const sources = globSync(['src/**/*.ts', 'schema/**/*.ts'], { cwd: root })
  .filter((file) => !/generated|browser|panels/.test(file))
  .map((file) => {
    const text = readFileSync(new URL(file, root), 'utf8');
    return { file, text: text.replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '') };
  });
const found = (wrong: RegExp) =>
  sources.flatMap(({ file, text }) => (text.match(wrong) ?? []).map((match) => `${file}: ${match}`));

const counted = '(characters|items|values|rows|tokens|groups|bytes|conditions|messages|pages|spans|ranges)';

test('a count is written like 50,000 in every text', () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(found(new RegExp(`\\b\\d{4,} ${counted}\\b`, 'g'))).toEqual([]);
  expect(
    found(new RegExp(`(at most|at least|more than|1 to) \\$\\{(?!grouped\\()[^}]*\\} ${counted}\\b`, 'g')),
  ).toEqual([]);
});

import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemFiles, testFiles } from '../support/repository/imports.ts';
import {
  comparedOnlyInOtherParts,
  inPart,
  ofTouchedAreas,
  partNamed,
  systemTestsOf,
} from '../support/repository/parts.ts';
import { withoutDatabase } from '../support/repository/without-database.ts';

const systemTests = systemFiles();
const parts = [1, 2, 3, 4, 5].map((part) => ({ part, of: 5 }));
const [one] = parts as [(typeof parts)[0]];
const areaOf = (file: string) => file.split('/')[1];

test('each system test is in one part, and an area with many has some in each', () => {
  expect(parts.flatMap((part) => inPart(systemTests, part)).toSorted()).toEqual(systemTests);
  for (const part of parts) {
    const areas = new Set(inPart(systemTests, part).map(areaOf));
    for (const [area, { length }] of Object.entries(Object.groupBy(systemTests, (file) => areaOf(file) ?? '')).map(
      ([name, files]) => [name, files ?? []] as const,
    ))
      if (length >= 5) expect(areas, `part ${part.part}`).toContain(area);
  }
});

const areasOf = (...changed: string[]) => [...new Set(ofTouchedAreas(systemTests, changed).map(areaOf))].toSorted();

test('the tests of what a change touches are in every part', () => {
  expect(areasOf('src/widget/endpoints.ts')).toEqual(['widget']);
  expect(areasOf('test/support/backup/x.ts', 'prisma/schema/lead.prisma')).toEqual(['backup', 'database']);
  expect(areasOf('package-lock.json', 'examples/README.md')).toEqual(['documents', 'repository']);
  expect(areasOf('README.md', '')).toEqual([]);
  const change = { files: ['src/backup/write.ts'], since: 'HEAD~1' };
  const { files, why } = systemTestsOf(systemTests, one, change);
  expect(files).toEqual(expect.arrayContaining([...inPart(systemTests, one), 'test/backup/backup.system.test.ts']));
  expect(new Set(files).size).toBe(files.length);
  expect(why).toBe(
    `System tests: ${files.length} of ${systemTests.length}: part 1/5; backup, by 1 files changed since HEAD~1`,
  );
});

/** What the life of a process hangs on: tests that kill processes cover it. */
const vital = 'src/queue/x src/jobs/x src/core/x src/storage/x src/cli/x src/model/x src/domain/leads/x src/net/x'
  .split(' ')
  .concat(globSync('src/*.ts'));
test.each(vital)('of %s, the tests of the life of a process', (file) => {
  expect(areasOf(file)).toEqual(expect.arrayContaining(['domain', 'turns', 'workers']));
});

test('every folder of the source chooses something', () => {
  const folders = globSync('src/**/', { exclude: ['**/node_modules'] }).map(
    (folder) => `${folder.replace(/\/$/, '')}/x`,
  );
  expect(folders).toContain('src/database/standby/x');
  expect(folders.filter((file) => file !== 'src/x' && areasOf(file).length === 0)).toEqual([]);
});

test('what every test hangs on has another part run', () => {
  for (const file of ['.ci/run', 'vitest.config.ts', 'test/support/setup.ts']) {
    for (const [index, part] of parts.entries()) {
      const { files, why } = systemTestsOf(systemTests, part, { files: [file], since: 'main' });
      const next = parts[(index + 1) % 5] as typeof part;
      const both = [part, next].flatMap((chosen) => inPart(systemTests, chosen));
      expect(new Set(files)).toEqual(new Set([...both, ...ofTouchedAreas(systemTests, [file])]));
      expect(why).toContain(`part ${part.part}/5 and ${next.part}/5 (${file} changed)`);
    }
  }
});

test('each test of generated operations is in one part on PostgreSQL, and no other is left out', () => {
  const left = parts.map((part) => new Set(comparedOnlyInOtherParts(part)));
  const all = new Set(left.flatMap((files) => [...files]));
  for (const file of all)
    expect(
      left.filter((files) => !files.has(file)),
      file,
    ).toHaveLength(1);
  const named = (...names: string[]) => names.map((name) => `test/${name}.test.ts`);
  expect([...all]).toEqual(
    expect.arrayContaining(
      named('compiled/random-operations', 'compiled/mutations', 'graphql/groups/fuzz', 'graphql/filters-reference'),
    ),
  );
  const always = named(
    'leads/lead-races',
    'compiled/plans',
    'compiled/serving',
    'compiled/left-fields',
    'graphql/actors',
    'graphql/filters-of-keys',
    'graphql/persisted-queries',
    'graphql/price/prices',
    'graphql/response-size',
  );
  expect(always.filter((file) => !testFiles().includes(file))).toEqual([]);
  expect(always.filter((file) => all.has(file))).toEqual([]);
});

test('a part that there is not is refused', () => {
  expect(partNamed(undefined)).toBeNull();
  expect(partNamed('2/5')).toEqual({ part: 2, of: 5 });
  for (const text of ['0/5', '6/5', '2', 'x/y', '1.5/5', '1/5/9', '1/Infinity', '-1/5', ' 1/5'])
    expect(() => partNamed(text)).toThrow('is a part such as 2/5');
});

/** `test/{a,b}/` is `test/a/` and `test/b/`. */
function expanded(word: string): string[] {
  const [all, list = ''] = /\{([^}]+)\}/.exec(word) ?? [];
  return all ? list.split(',').flatMap((name) => expanded(word.replace(all, name))) : [word];
}

test('each path that CI names is that of a test', () => {
  const commands = readFileSync('.ci/run', 'utf8').replaceAll('\\\n', ' ').split('\n');
  const named = commands.flatMap((command) => {
    if (!/vitest run|npm test/.test(command)) return [];
    const isSystem = command.includes('--project system');
    const paths = command.split(/\s+/).filter((word) => word.startsWith('test/'));
    return paths.flatMap(expanded).map((path) => ({ path, isSystem }));
  });
  expect(named.filter(({ isSystem }) => isSystem).length).toBeGreaterThan(5);
  expect(named.filter(({ isSystem }) => !isSystem).length).toBeGreaterThan(5);
  const unused = withoutDatabase();
  const tests = testFiles().filter((file) => !unused.includes(file));
  const nowhere = named.filter(
    ({ path, isSystem }) => !tests.some((file) => file.startsWith(path) && systemTests.includes(file) === isSystem),
  );
  expect(nowhere).toEqual([]);
});

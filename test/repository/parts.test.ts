import { expect, test } from 'vitest';
import { testFiles } from '../support/repository/imports.ts';
import {
  comparedOnlyInOtherParts,
  inPart,
  ofTouchedAreas,
  partNamed,
  systemTestsOf,
} from '../support/repository/parts.ts';

const systemTests = testFiles().filter((file) => file.endsWith('.system.test.ts'));
const parts = [1, 2, 3, 4, 5].map((part) => ({ part, of: 5 }));
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

test('the tests of what a change touches are in every part', () => {
  const [part] = parts as [(typeof parts)[0]];
  const files = (...changed: string[]) => [...new Set(ofTouchedAreas(systemTests, changed).map(areaOf))].toSorted();
  expect(files('src/widget/endpoints.ts', 'src/domain/turns/open.ts')).toEqual(['turns', 'widget']);
  expect(files('src/cli/backup.ts', 'prisma/schema/lead.prisma')).toEqual(['backup', 'database']);
  expect(files('package-lock.json', 'examples/README.md')).toEqual(['documents', 'repository']);
  expect(files('src/domain/leads/store.ts', 'README.md', '')).toEqual([]);
  const chosen = systemTestsOf(systemTests, part, ['src/backup/write.ts']);
  expect(chosen).toEqual(expect.arrayContaining([...inPart(systemTests, part), 'test/backup/backup.system.test.ts']));
  expect(new Set(chosen).size).toBe(chosen.length);
});

test('each test of generated operations is in one part on PostgreSQL', () => {
  const left = parts.map((part) => new Set(comparedOnlyInOtherParts(part)));
  const all = new Set(left.flatMap((files) => [...files]));
  expect(all.size).toBeGreaterThan(20);
  for (const file of all)
    expect(
      left.filter((files) => !files.has(file)),
      file,
    ).toHaveLength(1);
  expect(all).not.toContain('test/leads/lead-races.test.ts');
});

test('a part that there is not is refused', () => {
  expect(partNamed(undefined)).toBeNull();
  expect(partNamed('2/5')).toEqual({ part: 2, of: 5 });
  for (const text of ['0/5', '6/5', '2', 'x/y']) expect(() => partNamed(text)).toThrow('is a part such as 2/5');
});

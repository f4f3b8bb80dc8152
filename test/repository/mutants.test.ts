import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from '../mutants/mutants.ts';

const root = new URL('../../', import.meta.url);

test.each(mutants)('the fault can be made: $what', ({ file, before, after, folders }) => {
  const source = readFileSync(new URL(file, root), 'utf8');
  expect(source.split(before)).toHaveLength(2);
  expect(after).not.toBe(before);
  // A file is named without its ending.
  for (const folder of folders)
    expect([folder, `${folder}.test.ts`].some((path) => existsSync(new URL(path, root)))).toBe(true);
});

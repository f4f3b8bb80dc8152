import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';

/** All error texts there are: `npm run print` collects them. */
const errors = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('- '));
const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
const named = new RegExp(`(?<before>.{0,22})\\b(?<name>${mutations.join('|')})\\b`, 'g');

test('an error that names a mutation says that it is one of GraphQL, since callers of REST read it too', () => {
  const found = errors.flatMap((line) => [...line.matchAll(named)].map(({ groups }) => ({ ...groups, line })));
  expect(found.length).toBeGreaterThan(10);
  for (const { before, line } of found as { before?: string; line: string }[])
    expect(before, line).toMatch(/the GraphQL mutation $/);
});

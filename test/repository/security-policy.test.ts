import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const policy = readFileSync(new URL('SECURITY.md', root), 'utf8');

test('each promise of SECURITY.md names tests that hold it', () => {
  const [, promised = ''] = policy.split('## What is promised');
  const promises = (promised.split('\n## ')[0] ?? '').split('\n\n').filter((text) => text.startsWith('**'));
  expect(promises.length).toBeGreaterThan(10);
  for (const promise of promises) expect(promise).toMatch(/`test\/[\w/-]+\.test\.ts`/);
  const named = policy.match(/test\/[\w/-]+\.test\.ts/g) ?? [];
  expect(named.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});

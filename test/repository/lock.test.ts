import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Generator, generators, run } from '../../scripts/generators.ts';
import { type Lock, nameOf, pathsOf, readLock, readManifest, subsetOf } from '../../scripts/lock.ts';

const root = path.join(import.meta.dirname, '../..');
const manifest = readManifest(root);
const lock = readLock(root);

const entry = (needs: Record<string, object> = {}) => ({ version: '1.0.0', ...needs });
const small: Lock = {
  name: 'small',
  version: '1.0.0',
  packages: {
    '': entry(),
    'node_modules/a': entry({
      dependencies: { b: '1' },
      peerDependencies: { c: '1', d: '1' },
      peerDependenciesMeta: { d: { optional: true } },
    }),
    'node_modules/a/node_modules/b': entry({ dependencies: { e: '1' } }),
    'node_modules/b': entry(),
    'node_modules/c': entry({ optionalDependencies: { f: '1', unseen: '1' } }),
    'node_modules/d': entry(),
    'node_modules/e': entry({ dependencies: { a: '1' } }),
    'node_modules/f': entry(),
  },
};

test('a package comes with what Node would find for it, circles included, and without what it only may have', () => {
  expect([...pathsOf(small, ['a'])].sort()).toEqual(
    ['a', 'a/node_modules/b', 'c', 'e', 'f'].map((place) => `node_modules/${place}`),
  );
  expect([...pathsOf(small, ['b'])]).toEqual(['node_modules/b']);
});

describe('what production installs', () => {
  const production = subsetOf(manifest, lock, Object.keys(manifest.dependencies)).lock;
  const names = new Set(Object.keys(production.packages).map(nameOf));

  test('is what package.json names, in the versions of the lock', () => {
    expect(Object.keys(manifest.dependencies).filter((name) => !names.has(name))).toEqual([]);
    for (const [place, { version, integrity }] of Object.entries(production.packages)) {
      if (place)
        expect({ version, integrity }).toEqual({
          version: lock.packages[place]?.version,
          integrity: lock.packages[place]?.integrity,
        });
    }
  });

  test('has none of the packages that only a checkout works with', () => {
    const tools = ['prisma', 'typescript', 'vitest', '@graphql-codegen/cli', 'oxlint', 'playwright-core'];
    expect(tools.filter((name) => names.has(name))).toEqual([]);
    expect(production.packages).not.toHaveProperty([''], 'devDependencies');
  });
});

test.each(generators)('the packages of $name are in the lock', ({ packages }) => {
  const brought = subsetOf(manifest, lock, packages);
  expect(Object.keys(brought.manifest.dependencies)).toEqual(packages);
  expect(packages.filter((name) => !brought.lock.packages[`node_modules/${name}`])).toEqual([]);
});

test('what a package should contain and does not stops `npm run generate`', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-copies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copy: Generator = { name: 'data', packages: ['source'], inputs: [], outputs: ['made'], copies: ['a', 'b'] };
  mkdirSync(path.join(folder, 'node_modules/source/a'), { recursive: true });
  await expect(run(copy, folder)).rejects.toThrow('node_modules/source/b');
  mkdirSync(path.join(folder, 'node_modules/source/b'));
  await run(copy, folder);
  expect(readdirSync(path.join(folder, 'made'))).toEqual(['a', 'b']);
});

import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const most = 30;

test(`no folder holds more than ${most} TypeScript files`, () => {
  const files = globSync('{src,schema,test,bench,scripts,lint,prisma,examples}/**/*.ts', {
    cwd: root,
    exclude: (name) => ['node_modules', 'generated'].includes(path.basename(name)),
  });
  expect(files.length).toBeGreaterThan(500);
  const counts = Map.groupBy(files, (file) => path.dirname(file));
  const crowded = [...counts].filter(([, within]) => within.length > most);
  expect(crowded.map(([folder, within]) => `${folder}: ${within.length} files; sort them into folders`)).toEqual([]);
});

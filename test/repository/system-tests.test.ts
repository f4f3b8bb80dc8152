import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const imported = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.ts)'/g;
const startsProcesses =
  /import \{[^}]*\b(?:spawn|spawnSync|execFile|fork)\b[^}]*\} from 'node:child_process'|from 'playwright-core'/;

/** The files of test/ that a test imports, itself included. */
function filesOf(test: string): string[] {
  // Grows while it is read.
  const found = new Set([test]);
  for (const file of found) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(imported)) {
      const other = path.posix.join(path.posix.dirname(file), name);
      if (other.startsWith('test/') && existsSync(other)) found.add(other);
    }
  }
  return [...found];
}

test('a test that starts processes or a browser is named a system test, and no other is', () => {
  const wrong = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] }).filter((file) => {
    const starts = filesOf(file).some((name) => name !== ownName && startsProcesses.test(readFileSync(name, 'utf8')));
    return starts !== file.endsWith('.system.test.ts');
  });
  expect(wrong).toEqual([]);
});

const ownName = 'test/repository/system-tests.test.ts';

import { expect, test } from 'vitest';
import { filesOf, testFiles, textOf } from '../support/repository/imports.ts';

const startsProcesses =
  /import \{[^}]*\b(?:spawn|spawnSync|execFile|fork)\b[^}]*\} from 'node:child_process'|from 'playwright-core'/;

test('a test that starts processes or a browser is named a system test, and no other is', () => {
  const wrong = testFiles().filter((file) => {
    const starts = filesOf(file).some((name) => name !== ownName && startsProcesses.test(textOf(name)));
    return starts !== file.endsWith('.system.test.ts');
  });
  expect(wrong).toEqual([]);
});

const ownName = 'test/repository/system-tests.test.ts';

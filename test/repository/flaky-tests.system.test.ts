import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const vitest = join(require.resolve('vitest/package.json'), '../vitest.mjs');
const reporter = join(import.meta.dirname, '../support/repository/flaky-reporter.ts');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.flaky-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one test file with one retry, as CI does. */
function run(body: string) {
  writeFileSync(join(folder, 'some.test.ts'), `import { expect, test } from 'vitest';\nlet tries = 0;\n${body}`);
  const report = join(folder, 'report');
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { FlakyReporter } from ${JSON.stringify(pathToFileURL(reporter).href)};
     export default { test: { retry: 1, include: ['*.test.ts'], reporters: [new FlakyReporter(${JSON.stringify(report)})] } };`,
  );
  const { FLAKY_TESTS: _, TEST_DATABASE_URL: __, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], { env, encoding: 'utf8' });
  return { status, stderr, report: () => readFileSync(report, 'utf8') };
}

test('a test that passes when it is run again is named, and fails the run when it needs that twice', () => {
  const flaky = `test('passes later', () => expect(++tries).toBe(2));`;
  const first = run(flaky);
  expect([first.status, first.report()]).toEqual([0, 'some.test.ts > passes later\n']);
  expect(first.stderr).toMatch(/FLAKY some\.test\.ts > passes later[\s\S]*expected 1 to be 2/);
  expect(run(`test('passes at once', () => {});\ntest('another', () => expect(++tries).toBe(2));`).status).toBe(0);
  const again = run(flaky);
  expect(again.status).toBe(1);
  expect(again.stderr).toContain('as in an earlier run');
  expect(run(`test('never', () => expect(1).toBe(2));`).status).toBe(1);
});

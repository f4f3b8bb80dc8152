import { configDefaults, defineConfig } from 'vitest/config';
import { FlakyReporter } from './test/support/repository/flaky-reporter.ts';
import { systemFiles } from './test/support/repository/imports.ts';
import { comparedOnlyInOtherParts, partNamed, systemTestsOf } from './test/support/repository/parts.ts';
import { comparingBothWays, onOneServer, withoutDatabase } from './test/support/repository/without-database.ts';

/**
 * They open folders of their own, or ask the database nothing new: on a PostgreSQL they would only be run once more.
 */
const sameOnPostgres = [
  'signals',
  'data-folder',
  'token-command',
  'generated-clients',
  'document-commands',
  'examples',
  'flaky-tests',
  'demo-browser',
  'graphiql-files',
  'graphiql-page',
  'graphiql-panels',
  'graphiql-chart-library',
  'pages-browser',
  'widget-look',
  'widget-page',
].map((name) => `test/**/${name}.system.test.ts`);

/** Start processes, kill, back up, install or open a browser. */
const systemTests = 'test/**/*.system.test.ts';

/** The file in which runs of CI note the tests that needed a second try. */
const { COMPILED_QUERIES, FLAKY_TESTS, TEST_CITUS, TEST_DATABASE_URL, TEST_PART } = process.env;
const part = partNamed(TEST_PART);

const excluded = [
  ...configDefaults.exclude,
  ...(TEST_DATABASE_URL ? [...sameOnPostgres, ...withoutDatabase()] : []),
  ...(TEST_DATABASE_URL && part ? comparedOnlyInOtherParts(part) : []),
  ...(TEST_CITUS ? onOneServer() : []),
  ...(COMPILED_QUERIES === 'off' ? comparingBothWays() : []),
];

/** `--mode full` runs generated tests with all their cases, otherwise with a seeded part of them. */
export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      { extends: true, test: { name: 'product', include: ['test/**/*.test.ts'], exclude: [...excluded, systemTests] } },
      {
        extends: true,
        test: {
          name: 'system',
          include: part ? systemTestsOf(systemFiles(), part).files : [systemTests],
          exclude: excluded,
        },
      },
    ],
    env: mode === 'full' ? { TEST_CASES: 'all' } : {},
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/setup.ts',
    // Node loads the files itself, as it does in production.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // One more than the cores of the machines that CI runs on: many tests wait for a while.
    maxWorkers: 3,
    // Loading the gateway anew for each file would take most of the time; what files share must not matter to them.
    isolate: false,
    restoreMocks: true,
    // They only bound what hangs: on a busy machine everything takes several times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that passes the second time hides what it depends on: CI says which did, and takes it once from each.
    retry: FLAKY_TESTS ? 1 : 0,
    reporters: ['default', ...(FLAKY_TESTS ? [new FlakyReporter(FLAKY_TESTS)] : [])],
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
}));

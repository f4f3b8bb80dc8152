import { filesOf, testFiles, textOf } from './imports.ts';

/** How tests learn which database they are to use. What they test never does. */
const choosesDatabase = /\bTEST_DATABASE_URL\b|\binject\('template'\)/;

/** The test files that do not use the test database, neither by themselves nor by what they import. */
export const withoutDatabase = (): string[] =>
  testFiles().filter((test) => !filesOf(test).some((file) => choosesDatabase.test(textOf(file))));

/** The test files that compare compiled queries with resolvers themselves. */
export const comparingBothWays = (): string[] =>
  testFiles().filter((file) => /\bBothWays\b|\bCOMPILED_QUERIES\b/.test(textOf(file)));

/**
 * The test files that need one server: they read its plans, change its statistics, begin without tables, or make it
 * look like a cluster.
 */
export const onOneServer = (): string[] =>
  testFiles().filter((file) =>
    /\bscansOf\b|\bscaleStatistics\b|\bDROP SCHEMA public\b|\bstandInForCitus\b/.test(textOf(file)),
  );

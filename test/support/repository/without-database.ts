import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const imported = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.ts)'/g;
/** How tests learn which database they are to use. What they test never does. */
const choosesDatabase = /\bTEST_DATABASE_URL\b|\binject\('template'\)/;
const ofTests = /^(test|bench)\//;

/** The test files that do not use the test database, neither by themselves nor by what they import. */
export function withoutDatabase(): string[] {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
    texts.set(file, text);
    return text;
  };
  const usesDatabase = (test: string): boolean => {
    // Grows while it is read.
    const found = new Set([test]);
    for (const file of found) {
      const text = textOf(file);
      if (choosesDatabase.test(text)) return true;
      for (const [, name = ''] of text.matchAll(imported)) {
        const other = path.posix.join(path.posix.dirname(file), name);
        if (ofTests.test(other)) found.add(other);
      }
    }
    return false;
  };
  const files = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] });
  return files.filter((file) => !usesDatabase(file));
}

/** The test files that compare compiled queries with resolvers themselves. */
export const comparingBothWays = (): string[] =>
  globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] }).filter((file) => {
    return /\bBothWays\b|\bCOMPILED_QUERIES\b/.test(readFileSync(file, 'utf8'));
  });

/**
 * The test files that need one server: they read its plans, change its statistics, begin without tables, or make it
 * look like a cluster.
 */
export const onOneServer = (): string[] =>
  globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] }).filter((file) =>
    /\bscansOf\b|\bscaleStatistics\b|\bDROP SCHEMA public\b|\bstandInForCitus\b/.test(readFileSync(file, 'utf8')),
  );

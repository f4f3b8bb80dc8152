import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const imported = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.ts)'/g;
const ofTests = /^(test|bench)\//;

const texts = new Map<string, string>();
/** The text of a file, read once; none if it does not exist. */
export function textOf(file: string): string {
  const text = texts.get(file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
  texts.set(file, text);
  return text;
}

/** The files of test/ and bench/ that a test imports, at whatever remove, itself included. */
export function filesOf(test: string): string[] {
  // Grows while it is read.
  const found = new Set([test]);
  for (const file of found) {
    for (const [, name = ''] of textOf(file).matchAll(imported)) {
      const other = path.posix.join(path.posix.dirname(file), name);
      if (ofTests.test(other)) found.add(other);
    }
  }
  return [...found];
}

export const testFiles = (): string[] => globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] }).toSorted();

export const systemFiles = (): string[] => testFiles().filter((file) => file.endsWith('.system.test.ts'));

/**
 * `npm run test:mutants [-- word …]`: puts each fault of mutants.ts into the source, runs the tests that should notice
 * it, then, if they pass, all of `npm test`, and prints who caught it. The source is restored. Exits with 1 if one
 * survived.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../scripts/processes.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const words = process.argv.slice(2);
const chosen = mutants.filter(({ what, file }) => words.every((word) => `${what} ${file}`.includes(word)));
const changed = execFileSync('git', ['status', '--porcelain', '--', ...chosen.map(({ file }) => file)], {
  cwd: root,
  encoding: 'utf8',
});
if (changed.length > 0) throw new Error(`Commit these first, since they are changed here:\n${changed}`);

const print = (line: string) => process.stdout.write(`${line}\n`);
const survivors: string[] = [];
print('| fault | caught by |\n|---|---|');
for (const mutant of chosen) {
  const caughtBy = withFault(mutant, () => failingTest(mutant.folders) ?? failingTest([]));
  if (!caughtBy) survivors.push(mutant.what);
  print(`| ${mutant.what} | ${caughtBy ?? '**nothing**'} |`);
}
print(`\n${chosen.length - survivors.length} of ${chosen.length} caught`);
process.exitCode = survivors.length > 0 ? 1 : 0;

function withFault<T>({ file, before, after }: Mutant, work: () => T): T {
  const path = `${root}${file}`;
  const source = readFileSync(path, 'utf8');
  const restore = () => writeFileSync(path, source);
  const interrupted = () => {
    restore();
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  writeFileSync(
    path,
    source.replace(before, () => after),
  );
  try {
    return work();
  } finally {
    restore();
    process.off('SIGINT', interrupted);
  }
}

/** The file and name of the first test that fails; null if all pass. An empty list runs all. */
function failingTest(folders: string[]): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const results = join(folder, 'results.json');
  const flags = [
    'run',
    '--project',
    'product',
    // It looks for what the fault replaces, so it fails whatever the fault is.
    '--exclude',
    'test/repository/mutants.test.ts',
    '--bail',
    '1',
    '--reporter',
    'json',
    '--outputFile',
    results,
    ...folders,
  ];
  const { status, stderr } = spawnSync(process.execPath, [programOf(root, 'vitest', 'vitest'), ...flags], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1_000_000_000,
  });
  if (status === 0) {
    rmSync(folder, { recursive: true });
    return null;
  }
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as Report;
  rmSync(folder, { recursive: true });
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status: ofTest }) => ofTest === 'failed');
    if (failed) return `\`${name.slice(root.length)}\`: ${failed.fullName.trim()}`;
  }
  // A file whose set-up fails has no results; one that was not begun after the first failure has no message.
  const broken = testResults.find(({ message }) => message);
  if (broken) return `\`${broken.name.slice(root.length)}\`: ${broken.message.split('\n')[0]}`;
  throw new Error(`The tests failed, and none says so:\n${stderr.slice(-2_000)}`);
}

type Report = {
  testResults: { name: string; message: string; assertionResults: { status: string; fullName: string }[] }[];
};

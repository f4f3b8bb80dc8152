/** `npm run test:faults`: measures what the gateway guarantees under faults. docs/faults.md explains the output. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programs } from '../support/database/postgres-cluster.ts';
import { randomOf } from '../support/random/random.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { scenarios } from './scenarios/index.ts';
import { details, head, isGood, type Result, row } from './table.ts';
import { makeTemplate, removeTemplate } from './template.ts';
import { endTrial, runTrial } from './trial.ts';
import type { DatabaseName, Scenario, Template } from './types.ts';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** A folder that PostgreSQL's user can access too. */
function makeScratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-faults-'));
  chmodSync(folder, 0o755);
  // An interrupted run must leave no processes behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void endTrial().finally(() => {
        rmSync(folder, { recursive: true, force: true });
        process.exit(1);
      });
    });
  }
  return folder;
}

async function runAll(options: Options): Promise<Result[]> {
  const scratch = makeScratch();
  const results: Result[] = [];
  const until = performance.now() + options.minutes * 60_000;
  const tell = (result: Result) => {
    results.push(result);
    for (const text of [row(result), ...details(result)]) print(text);
  };
  try {
    for (const database of options.databases.length > 0 ? options.databases : (['embedded', 'postgres'] as const)) {
      await runOn(database, options, { scratch, until, tell });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return results;
}

type Run = { scratch: string; until: number; tell(result: Result): void };

async function runOn(database: DatabaseName, options: Options, { scratch, until, tell }: Run): Promise<void> {
  const chosen = scenarios.filter(
    ({ name, databases }) => databases.includes(database) && (options.only.length === 0 || options.only.includes(name)),
  );
  if (chosen.length === 0) return;
  if (database === 'postgres' && !programs)
    throw new Error('PostgreSQL is not installed here: its initdb was not found.');
  const template = await makeTemplate(database, scratch, options.log);
  try {
    for (const scenario of chosen) {
      for (const broken of [false, true]) {
        tell(await runOne({ scenario, broken, database, template, scratch, until, options }));
      }
    }
  } finally {
    await removeTemplate(template);
  }
}

type One = Pick<Run, 'scratch' | 'until'> & {
  scenario: Scenario;
  broken: boolean;
  database: DatabaseName;
  template: Template;
  options: Options;
};

async function runOne({ scenario, broken, database, template, scratch, until, options }: One): Promise<Result> {
  const random = randomOf(options.seed);
  return runTrial({ scenario, broken, database, template, scratch, until, random, seconds: options.seconds });
}

async function main(): Promise<void> {
  const names = scenarios.map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), names);
  if (options.list) return print(names.join('\n'));
  print(`seed ${options.seed}; the same moments come again with --seed ${options.seed}`);
  print(head);
  const since = performance.now();
  const results = await runAll(options);
  const bad = results.filter((result) => !isGood(result));
  print(`\n${head}`);
  for (const result of results) print(row(result));
  const minutes = ((performance.now() - since) / 60_000).toFixed(1);
  print(
    `\n${results.length} trials in ${minutes} minutes, ${bad.length} of them not as promised; seed ${options.seed}`,
  );
  process.exitCode = bad.length > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? `${error.message}\n\n${usage}` : String(error)}\n`);
  process.exitCode = 1;
}
// Exit, even if silenced connections are still open.
process.exit();

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/**
 * Reports tests that passed only on a retry, and stores their names in a file that several runs share. The run
 * fails if one of them also needed a retry in an earlier run, since that is no coincidence any more.
 */
export class FlakyReporter implements Reporter {
  readonly #file: string;
  readonly #found: { name: string; errors: string[] }[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  onTestCaseResult(testCase: TestCase): void {
    if (!testCase.diagnostic()?.flaky) return;
    const errors = (testCase.result().errors ?? []).map(({ stack, message }) => stack ?? message);
    this.#found.push({ name: `${testCase.module.relativeModuleId} > ${testCase.fullName}`, errors });
  }

  onTestRunEnd(): void {
    const before = new Set(existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n') : []);
    for (const { name, errors } of this.#found) {
      const isKnown = before.has(name);
      const verdict = isKnown ? 'failed, as in an earlier run,' : 'failed';
      process.stderr.write(`\nFLAKY ${name}\n  ${verdict} and passed when it was run again:\n${errors.join('\n')}\n`);
      if (isKnown) process.exitCode = 1;
      else appendFileSync(this.#file, `${name}\n`);
    }
  }
}

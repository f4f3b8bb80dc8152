import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readStartScript } from '../bench/npm-start.ts';

const program = `
  import { Worker } from 'node:worker_threads';
  await import('./src/heap.ts');
  const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };
  const thread = new Worker('process.stdin.resume()', { eval: true, stdin: true, resourceLimits: limits });
  thread.once('online', async () => {
    console.log((await thread.getHeapStatistics()).heap_size_limit / 2 ** 20);
    process.exit();
  });`;

/** A flag for V8 goes before what a thread is given. */
test("npm start's size of the young generation is not the one of the thread that reads sources", async () => {
  const { flags } = readStartScript();
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program]);
  expect(Number(stdout)).toBeGreaterThanOrEqual(256);
  expect(Number(stdout)).toBeLessThan(256 + 2 * 8);
});

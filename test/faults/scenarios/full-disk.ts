import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Skipped } from '../scenario.ts';
import type { Scenario, Trial } from '../types.ts';
import { underLoad } from '../under-load.ts';

/** The size of the disk, which is in memory. */
const diskMegabytes = 600;
/** How many writes must meet the full disk. */
const refused = 10;

export const fullDisk: Scenario = {
  name: 'full-disk',
  promise: 'a full disk is told as such, loses nothing, and is forgotten when there is room again',
  databases: ['embedded', 'postgres'],
  control: { breaks: 'what the database says of it is not understood', counts: 'wrong' },
  async run(trial) {
    const folder = makeDisk(trial);
    const world = await trial.open({ folder });
    const start = { imports: trial.broken ? ['./test/faults/broken/deaf.ts'] : [] };
    await underLoad(
      trial,
      world,
      async ({ load }) => {
        const ballast = fill(folder);
        await load.pace.refusals(refused);
        await sleep(trial.ms);
        rmSync(ballast);
        // A server that cannot write its write-ahead log exits.
        if (world.cluster && !world.cluster.isRunning()) {
          trial.score.note('PostgreSQL had ended, and was started again');
          await world.cluster.start();
        }
      },
      { start },
    );
  },
};

function makeDisk(trial: Trial): string {
  const folder = path.join(trial.folder, 'disk');
  mkdirSync(folder);
  try {
    const size = `size=${diskMegabytes}m,mode=755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    throw new Skipped('a small disk can be made by root on Linux only');
  }
  trial.after(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

/** Fills a disk. */
function fill(folder: string): string {
  const file = path.join(folder, 'ballast');
  const block = Buffer.alloc(65_536);
  const opened = openSync(file, 'w');
  try {
    for (;;) writeSync(opened, block);
  } catch {
    closeSync(opened);
  }
  return file;
}

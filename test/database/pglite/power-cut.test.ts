import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EmbeddedSync } from '../../../src/database/pglite/embedded.ts';
import {
  type Cut,
  cutPower,
  cutsOf,
  isControl,
  isLog,
  recordRestart,
  recordWork,
  withoutSync,
} from '../../faults/power-cut.ts';
import type { DiskLog } from '../../support/faults/disk/log.ts';
import { pagesBeforeLog } from '../../support/faults/disk/order.ts';
import { someOf } from '../../support/random/cases.ts';
import { randomOf } from '../../support/random/random.ts';
import { seed } from '../../support/random/seed.ts';

const { POWER_CUTS } = process.env;
const count = Number(POWER_CUTS ?? 6);
/** Each opens a database of its own, for seconds. The first keeps nothing more than what was synced: it tells most. */
function chosen([first, ...others]: Cut[]): Cut[] {
  if (!first) throw new Error('There is nothing to cut.');
  return [first, ...(POWER_CUTS ? others : someOf(others, 0))];
}
const steps = 32;
/** Opening dozens of databases is slow on a busy machine. */
const hangs = 900_000;
vi.setConfig({ testTimeout: hangs });

const logs = new Map<EmbeddedSync, DiskLog>();

afterAll(() => vi.resetConfig());

describe.for(['second', 'commit'] as const)('the embedded database that syncs by the %s', (sync) => {
  beforeAll(async () => void logs.set(sync, await recordWork(sync, steps)), hangs);

  test('opens after a power cut at any step, with all writes that were promised, and no part of another', async () => {
    const log = logs.get(sync) ?? [];
    const cuts = chosen(cutsOf(log, count, randomOf(seed)));
    const outcome = await cutPower(log, sync, cuts);
    expect(outcome).toMatchObject({ tried: cuts.length, lost: 0, doubled: 0, wrong: 0, told: [] });
  });
});

test('no page of a table is written over before the log that tells of it is on disk, though the log may wait', () => {
  for (const log of logs.values()) expect(pagesBeforeLog(log)).toEqual([]);
  expect(pagesBeforeLog(withoutSync(logs.get('commit') ?? [], isLog)).length).toBeGreaterThan(0);
});

test('a first start that a power cut ends is made good by the next', async () => {
  const log = await recordWork('commit', 1, true);
  const outcome = await cutPower(log, 'commit', cutsOf(log, 1, randomOf(seed)));
  expect(outcome).toMatchObject({ tried: 1, lost: 0, doubled: 0, wrong: 0, told: [] });
});

test('what a killed process left is on disk once the next has started', async () => {
  const log = await recordRestart('commit', steps);
  const opened = 1 + log.findIndex((entry) => entry.kind === 'mark' && entry.text === 'opened');
  const all = cutsOf(log, count, randomOf(seed)).map(({ after, luck }, index) => {
    return { luck, after: index === 0 ? opened : Math.max(after, opened) };
  });
  const cuts = chosen(all);
  const outcome = await cutPower(log, 'commit', cuts);
  expect(outcome).toMatchObject({ tried: cuts.length, lost: 0, doubled: 0, wrong: 0, told: [] });
  const { lost, wrong } = await cutPower(withoutSync(log), 'commit', cuts.slice(0, 1));
  expect(lost + wrong).toBe(1);
});

const missingSyncs: [what: string, matches: (name: string) => boolean][] = [
  ['of anything', () => true],
  ['of its log', isLog],
  ['of its tables before a checkpoint is valid', (name) => !isLog(name) && !isControl(name)],
];

test.for(someOf(missingSyncs, 1))('that would be found out if it were not for the sync %s', async ([, matches]) => {
  const log = logs.get('commit') ?? [];
  const cuts = cutsOf(log, 6, randomOf(seed)).filter(({ luck }) => luck.name === 'nothing more');
  const { lost, wrong } = await cutPower(withoutSync(log, matches), 'commit', cuts);
  expect(lost + wrong).toBe(1);
});

import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Skipped } from './scenario.ts';
import { Score } from './score.ts';
import type { Result } from './table.ts';
import type { DatabaseName, Scenario, Template, Trial } from './types.ts';
import { openWorld } from './world.ts';

export type TrialOptions = {
  scenario: Scenario;
  broken: boolean;
  database: DatabaseName;
  template: Template;
  scratch: string;
  /** When nothing more is begun, by the clock of this process. */
  until: number;
  random(): number;
  seconds: number;
};

/** What the trial of now has begun, to be ended the last one first. */
const endings: (() => Promise<unknown> | void)[] = [];

/** Ends what the trial of now has begun: gateways, servers, disks. */
export async function endTrial(): Promise<void> {
  for (const end of endings.splice(0).toReversed()) await end();
}

/** Runs a scenario once, and takes away what it made. Never rejects. */
export async function runTrial(options: TrialOptions): Promise<Result> {
  const { scenario, broken, database, template, scratch, until, random, seconds } = options;
  const since = performance.now();
  const score = new Score();
  const folder = path.join(scratch, `${scenario.name}-${database}${broken ? '-control' : ''}`);
  const trial: Trial = {
    database,
    broken,
    ms: broken ? Math.min(seconds, 8) * 1_000 : seconds * 1_000,
    random,
    score,
    folder,
    open: (world) => openWorld(trial, template, world),
    after: (work) => void endings.push(work),
  };
  const result = (more: Partial<Result> = {}): Result => {
    return { scenario, database, broken, score, seconds: (performance.now() - since) / 1000, ...more };
  };
  if (since > until) return result({ failed: 'no time was left' });
  try {
    mkdirSync(folder, { mode: 0o755 });
    await scenario.run(trial);
    return result();
  } catch (error) {
    if (error instanceof Skipped) return result({ skipped: error.message });
    return result({ failed: error instanceof Error ? error.message : String(error) });
  } finally {
    await endTrial();
    rmSync(folder, { recursive: true, force: true });
  }
}

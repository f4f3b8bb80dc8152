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
  /** When to start nothing more, in this process's time. */
  until: number;
  random(): number;
  seconds: number;
};

/** Cleanups of the current trial, to run in reverse order. */
const endings: (() => Promise<unknown> | void)[] = [];

/** Ends the gateways, servers and disks of the current trial. */
export async function endTrial(): Promise<void> {
  for (const end of endings.splice(0).toReversed()) await end();
}

/** Runs a scenario once, and cleans up. Never rejects. */
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

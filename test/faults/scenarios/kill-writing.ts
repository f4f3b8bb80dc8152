import type { Scenario } from '../types.ts';
import { again, underLoad } from '../under-load.ts';

export const killWriting: Scenario = {
  name: 'kill-writing',
  promise: 'what was acknowledged survives SIGKILL of the gateway, once',
  databases: ['embedded', 'postgres'],
  control: { breaks: 'every third transaction is undone and said to be kept', counts: 'lost' },
  async run(trial) {
    const world = await trial.open();
    const start = { imports: trial.broken ? ['./test/faults/broken/forgetful.ts'] : [] };
    const fault = async ({ replace }: { replace(): Promise<void> }) =>
      trial.score.note(`${await again(trial, () => replace())} kills`);
    await underLoad(trial, world, fault, { start });
  },
};

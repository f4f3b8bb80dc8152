import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../ledger.ts';
import { startLoad } from '../load.ts';
import type { Scenario } from '../types.ts';
import { underLoad } from '../under-load.ts';
import { rows } from '../writes.ts';

const clients = 1_000;

export const manyRequests: Scenario = {
  name: 'many-requests',
  promise: '1,000 clients at once are answered or told to come back, within 25 s, and nothing is lost',
  databases: ['embedded', 'postgres'],
  control: { breaks: 'every third transaction is undone and said to be kept', counts: 'lost' },
  async run(trial) {
    const { score } = trial;
    const world = await trial.open();
    const start = { imports: trial.broken ? ['./test/faults/broken/forgetful.ts'] : [] };
    const ledger = new Ledger('many-requests');
    await underLoad(
      trial,
      world,
      async ({ gateway }) => {
        const { url } = gateway();
        const { isKilled, house } = world;
        const load = startLoad({
          url: () => url,
          isKilled,
          house,
          ledger,
          score,
          kinds: rows,
          writers: trial.broken ? clients / 10 : clients,
          pauseMs: 100,
        });
        await sleep(trial.ms);
        await load.stop();
        await ledger.compare(url, house, score);
        score.note(`${ledger.acknowledged} writes of other callers acknowledged`);
      },
      { start, writers: 2 },
    );
  },
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpLink } from '../../support/database/tcp-link.ts';
import type { Scenario } from '../types.ts';
import { underLoad } from '../under-load.ts';

/** Longer than any request may wait. */
const silentMs = 35_000;

export const silentConnection: Scenario = {
  name: 'silent-connection',
  promise: 'a database that falls silent is told within 25 s, and left for one that answers',
  databases: ['postgres'],
  control: {
    breaks: 'nothing bounds how long a statement, a connection or a transaction is waited for',
    counts: 'wrong',
  },
  async run(trial) {
    const world = await trial.open({ linked: true });
    const link = world.link as TcpLink;
    const start = { imports: trial.broken ? ['./test/faults/broken/patient.ts'] : [] };
    await underLoad(
      trial,
      world,
      async ({ load }) => {
        // An unannounced failover: existing connections are dead, new ones work.
        link.silence();
        await load.pace.recover(performance.now(), trial.score, 27_000);
        // New connections are silent too.
        link.silent = true;
        link.silence();
        await sleep(silentMs);
        link.silent = false;
      },
      { start, writers: 8 },
    );
  },
};

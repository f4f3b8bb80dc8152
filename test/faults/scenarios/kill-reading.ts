import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../src/context.ts';
import type { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { Reading } from '../reading.ts';
import { furnish } from '../template.ts';
import type { Scenario, Trial, World } from '../types.ts';

/** Enough for their postings to be merged. */
const sources = 12;
const killsAtRuns = 4;
/** How long to wait for the next compaction. */
const patienceMs = 10_000;

/** Deletes the index, but keeps all passages. */
const forget = async ({ database }: Services): Promise<void> =>
  void (await database.$executeRaw`DELETE FROM "PassageTerm"`);

export const killReading: Scenario = {
  name: 'kill-reading',
  promise: 'sources are read whole and once, and found, whenever the gateway dies while it reads or compacts',
  databases: ['embedded', 'postgres'],
  control: { breaks: 'the index loses its postings', counts: 'lost' },
  async run(trial) {
    const world = await trial.open();
    const reading = new Reading(trial, world);
    let gateway = await world.start();
    const next = async () => {
      await world.kill(gateway);
      gateway = await world.start();
    };
    await reading.open(gateway.url);
    let added = false;
    const adding = reading.addAll(trial.broken ? 1 : sources, () => gateway.url).then(() => (added = true));
    if (!trial.broken) {
      const whileReading = await killAtMoments(trial, next);
      const whileCompacting = await killAtRuns(trial, {
        gateway: () => gateway,
        added: () => added,
        next,
        arm: world.arm,
      });
      trial.score.note(`${whileReading} kills while it read, ${whileCompacting} at statements of a compaction`);
    }
    await adding;
    await reading.settle(gateway.url);
    if (trial.broken) {
      await world.kill(gateway, 'SIGTERM');
      await furnish(world.env, forget);
      gateway = await world.start();
    }
    await reading.compare(gateway.url);
    await world.kill(gateway, 'SIGTERM');
    const runs = await furnish(world.env, ({ database }) => database.passageRun.count());
    trial.score.note(`${sources} sources, ${runs} runs of postings`);
  },
};

async function killAtMoments(trial: Trial, next: () => Promise<void>): Promise<number> {
  const until = performance.now() + trial.ms;
  let kills = 0;
  for (; kills < 1 || performance.now() < until; kills += 1) {
    await sleep(500 + trial.random() * 2_000);
    await next();
  }
  return kills;
}

type Runs = { gateway(): GatewayProcess; added(): boolean; next(): Promise<void>; arm: World['arm'] };

/** Kills at random statements about runs of postings, which begin once enough sources are read. */
async function killAtRuns(trial: Trial, { gateway, added, next, arm }: Runs): Promise<number> {
  for (let kills = 0; kills < killsAtRuns; kills += 1) {
    const statements = 1 + Math.floor(trial.random() * 8);
    arm(gateway(), { statements, when: 'sent', about: 'PassageRun' });
    const isAlive = async () => {
      while (!added()) await sleep(200);
      return sleep(patienceMs, true, { ref: false });
    };
    if ((await Promise.race([gateway().exited, isAlive()])) === true) {
      arm(gateway(), null);
      return kills;
    }
    await next();
  }
  return killsAtRuns;
}

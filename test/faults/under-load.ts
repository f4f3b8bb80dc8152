import type { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Ledger } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import type { StartOptions, Trial, World } from './types.ts';
import { type Kind, kinds } from './writes.ts';

export type Under = {
  load: Load;
  gateway(): GatewayProcess;
  /** Kills the gateway and starts the next one. */
  replace(signal?: NodeJS.Signals): Promise<void>;
};

export type UnderOptions = { start?: StartOptions; kinds?: Kind[]; writers?: number };

const most = [kinds.leadByRest, kinds.turn, kinds.leadByGraph, kinds.document];

/**
 * Produces a fault under load, waits until the speed is normal again, and reads all acknowledged writes
 * back, from the running gateway and from a new one.
 */
export async function underLoad(
  trial: Trial,
  world: World,
  fault: (under: Under) => Promise<void>,
  options: UnderOptions = {},
): Promise<void> {
  const { score } = trial;
  const ledger = new Ledger('load');
  let gateway = await world.start(options.start);
  const load = startLoad({
    url: () => gateway.url,
    isKilled: world.isKilled,
    house: world.house,
    ledger,
    score,
    kinds: options.kinds ?? most,
    writers: options.writers,
  });
  await load.pace.settle();
  await fault({
    load,
    gateway: () => gateway,
    async replace(signal) {
      await world.kill(gateway, signal);
      gateway = await world.start(options.start);
    },
  });
  await load.pace.recover(performance.now(), score);
  await load.stop();
  await ledger.compare(gateway.url, world.house, score);
  await world.kill(gateway, 'SIGTERM');
  await ledger.compare((await world.start()).url, world.house, score);
  score.note(`${ledger.acknowledged} writes acknowledged`);
}

/** Calls `blow` at random moments until the load has lasted long enough; returns how often. */
export async function again(trial: Trial, blow: (index: number) => Promise<void>): Promise<number> {
  const until = performance.now() + trial.ms;
  let count = 0;
  do {
    await new Promise((resolve) => setTimeout(resolve, trial.random() * 1_500));
    await blow(count);
    count += 1;
  } while (performance.now() < until);
  return count;
}

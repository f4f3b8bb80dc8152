import { startEchoModel } from '../../support/model/echo-model.ts';
import { ask, graphql } from '../client.ts';
import { Ledger } from '../ledger.ts';
import { startLoad } from '../load.ts';
import { openReceiver } from '../receiver.ts';
import type { Scenario, StartOptions, World } from '../types.ts';
import { kinds } from '../writes.ts';

/** The pause between pieces of a reply, so that another replica has time to judge the open turn. */
const pauseMs = 700;
const fiveMinutes = 300_000;
const wrongClock = './test/faults/shifted-clock.ts';

const shifted = (ms: number, imports: string[] = []): StartOptions => ({
  env: { CLOCK_SHIFT_MS: String(ms) },
  imports: [wrongClock, ...imports],
});

export const clocks: Scenario = {
  name: 'clocks',
  promise: 'replicas whose clocks are ten minutes apart end no turn of each other and tell no webhook twice',
  databases: ['postgres'],
  control: { breaks: 'leases are judged by the clock of the process', counts: 'wrong' },
  async run(trial) {
    const { score, broken } = trial;
    const [model, receiver] = await Promise.all([startEchoModel(pauseMs), openReceiver()]);
    trial.after(() => Promise.all([model.close(), receiver.close()]));
    const world = await trial.open({ env: model.env });
    const imports = broken ? ['./test/faults/broken/own-clock.ts'] : [];
    const shifts = [fiveMinutes, -fiveMinutes];
    const replicas = await Promise.all(shifts.map((ms) => world.start(shifted(ms, imports))));
    const urls = replicas.map(({ url }) => url);
    await listen(urls[0] ?? '', world, receiver.url);
    const ledger = new Ledger('clocks');
    const load = startLoad({
      url: () => urls[Math.floor(trial.random() * urls.length)] ?? '',
      isKilled: world.isKilled,
      house: world.house,
      ledger,
      score,
      kinds: [kinds.turn, kinds.turn, kinds.leadByRest],
      writers: 6,
      mustSucceed: true,
    });
    await load.last(trial.ms);
    await load.stop();
    await receiver.settle();
    for (const times of receiver.told.values())
      if (times > 1) score.count('doubled', `a webhook was told ${times} times`);
    for (const url of urls) await ledger.compare(url, world.house, score);
    score.note(`${ledger.acknowledged} writes acknowledged, ${receiver.told.size} events told`);
  },
};

async function listen(url: string, { house }: World, receiver: string): Promise<void> {
  const query = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }`;
  const { reply } = await ask(url, graphql(house.token, query, { input: { url: receiver } }));
  if (!reply?.body?.data?.createWebhook) throw new Error(`No webhook was made: ${reply?.text}`);
}

/** The embedded database serves one process, so the clock jumps between processes. */
export const clockJumps: Scenario = {
  name: 'clock-jumps',
  promise: 'a clock that jumps by ten minutes between two starts, ahead and back, loses nothing',
  databases: ['embedded'],
  control: { breaks: 'every third transaction is undone and said to be kept', counts: 'lost' },
  async run(trial) {
    const { score, random } = trial;
    const world = await trial.open();
    const imports = trial.broken ? ['./test/faults/broken/forgetful.ts'] : [];
    const ledger = new Ledger('jumps');
    for (const ms of [fiveMinutes, -fiveMinutes, fiveMinutes]) {
      const gateway = await world.start(shifted(ms, imports));
      const load = startLoad({
        url: () => gateway.url,
        isKilled: world.isKilled,
        house: world.house,
        ledger,
        score,
        kinds: [kinds.turn, kinds.leadByRest, kinds.document],
        mustSucceed: true,
      });
      await load.last(trial.ms / 3);
      await load.stop();
      await ledger.compare(gateway.url, world.house, score);
      await world.kill(gateway, random() < 0.5 ? 'SIGKILL' : 'SIGTERM');
    }
    score.note(`${ledger.acknowledged} writes acknowledged`);
  },
};

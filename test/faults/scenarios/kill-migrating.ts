import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { ask } from '../client.ts';
import { Ledger } from '../ledger.ts';
import { furnishHouse } from '../template.ts';
import type { House, Scenario, Trial, World } from '../types.ts';
import { faultOf, isAcknowledged } from '../verdict.ts';
import { kinds } from '../writes.ts';

/** The minimum time to migrate a new database. */
const migratingMs = 2_500;
/** How long a start may take. */
const startMs = 90_000;

export const killMigrating: Scenario = {
  name: 'kill-migrating',
  promise: 'a gateway starts on a database whose migration was cut short, and has all of it',
  databases: ['embedded', 'postgres'],
  control: { breaks: 'a script and the record of its end are two transactions', counts: 'wrong' },
  async run(trial) {
    const until = performance.now() + trial.ms;
    let rounds = 0;
    do {
      rounds += 1;
      await killAndStart(trial, `${trial.folder}/${rounds}`);
    } while (performance.now() < until && !trial.broken);
    trial.score.note(`${trial.score.tried} starts on ${rounds} new databases`);
  },
};

/** Kills a few gateways during the migration of a new database, starts one, and writes and reads through it. */
async function killAndStart(trial: Trial, folder: string): Promise<void> {
  const { score, broken, random } = trial;
  const world = await trial.open({ empty: true, folder });
  const imports = broken ? ['./test/faults/broken/two-transactions.ts'] : [];
  for (let kills = broken ? 1 : 3; kills > 0; kills -= 1) {
    score.tried += 1;
    const begun = world.begin({ imports });
    const listening = begun.listening.catch(() => null);
    // The broken gateway kills itself between the two.
    if (broken) await begun.exited;
    else await sleep(200 + random() * migratingMs);
    await begun.kill(random() < 0.2 ? 'SIGTERM' : 'SIGKILL');
    await listening;
  }
  score.tried += 1;
  const gateway = await startSoon(world);
  if (typeof gateway === 'string') return score.count('wrong', gateway);
  await world.kill(gateway, 'SIGTERM');
  const house = await furnishHouse(world.env);
  const next = await startSoon(world);
  if (typeof next === 'string') return score.count('wrong', next);
  await writeAndRead(trial, next.url, house);
  await world.kill(next);
}

async function startSoon(world: World): Promise<GatewayProcess | string> {
  const begun = world.begin();
  return Promise.race([
    begun.listening.catch(() => 'no gateway starts on it any more'),
    sleep(startMs, `no start within ${startMs / 1000} s`, { ref: false }),
  ]);
}

async function writeAndRead({ score }: Trial, url: string, house: House): Promise<void> {
  const ready = await ask(url, { method: 'GET', path: '/ready', token: house.token });
  if (ready.reply?.status !== 200) score.count('wrong', 'not ready after its start');
  const ledger = new Ledger('migrated');
  for (const kind of [kinds.leadByRest, kinds.document, kinds.turn]) {
    const mark = ledger.enter(kind);
    const outcome = await ask(url, kind.send(house, mark));
    const fault = faultOf(outcome) ?? (isAcknowledged(outcome) ? null : `refused: ${outcome.reply?.text}`);
    if (fault) score.count('wrong', fault);
    else ledger.acknowledge(mark);
  }
  await ledger.compare(url, house, score);
}

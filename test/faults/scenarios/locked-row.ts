import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ask, graphql } from '../client.ts';
import { databaseName } from '../template.ts';
import type { Scenario, Trial, World } from '../types.ts';
import { underLoad } from '../under-load.ts';
import { codeOf, faultOf, isAcknowledged } from '../verdict.ts';

/** Longer than any request may wait. */
const lockedMs = 30_000;
/** More than the number of connections. */
const waiting = 40;
/** How long requests that need no locked row may take. */
const othersMs = 10_000;

export const lockedRow: Scenario = {
  name: 'locked-row',
  promise: 'who waits for a locked row is told within 25 s, and nobody else waits with them',
  databases: ['postgres'],
  control: { breaks: 'nothing bounds how long a lock is waited for', counts: 'wrong' },
  async run(trial) {
    const world = await trial.open();
    const start = { imports: trial.broken ? ['./test/faults/broken/patient.ts'] : [] };
    // The load runs in the neighbouring workspace.
    const others: World = { ...world, house: world.neighbour };
    await underLoad(
      trial,
      others,
      async ({ gateway, load }) => {
        const { url } = gateway();
        const agentId = world.house.agentId;
        const release = await lockAgent(world, agentId);
        const renames = Array.from({ length: waiting }, () => rename(trial, url, world, agentId));
        const until = performance.now() + lockedMs;
        while (performance.now() < until) {
          await look(trial, url, world);
          await sleep(1_000);
        }
        load.pace.bound(performance.now() - lockedMs, othersMs, trial.score);
        await release();
        const codes = Map.groupBy(await Promise.all(renames), (code) => code);
        trial.score.note(`${waiting} waited: ${[...codes].map(([code, all]) => `${all.length} ${code}`).join(', ')}`);
      },
      { start, writers: 2 },
    );
  },
};

async function lockAgent({ cluster }: World, id: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: cluster?.url(databaseName) });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM "Agent" WHERE "id" = $1 FOR UPDATE', [id]);
  return () => client.end();
}

const renaming = 'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { id } } }';

async function rename({ score }: Trial, url: string, { house }: World, id: string): Promise<string> {
  score.tried += 1;
  const outcome = await ask(url, graphql(house.token, renaming, { input: { id, name: 'Renamed' } }));
  const fault = faultOf(outcome);
  if (fault) score.count('wrong', fault);
  return isAcknowledged(outcome) ? 'done' : (codeOf(outcome) ?? 'no code');
}

/** The gateway is ready, and answers requests for other rows. */
async function look({ score }: Trial, url: string, { house }: World): Promise<void> {
  const ready = await ask(url, { method: 'GET', path: '/ready', token: house.token });
  score.tried += 2;
  if (ready.reply?.status !== 200) score.count('wrong', `/ready: ${ready.reply?.status ?? ready.error}`);
  const read = await ask(url, graphql(house.token, '{ documents(first: 1) { totalCount } }'));
  const fault = faultOf(read) ?? (isAcknowledged(read) ? null : `a read: ${codeOf(read)}`);
  if (fault) score.count('wrong', fault);
}

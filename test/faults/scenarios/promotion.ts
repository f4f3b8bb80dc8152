import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, removeCluster, standbyOf } from '../../support/database/postgres-cluster.ts';
import { makeSynchronous } from '../../support/database/standby.ts';
import { openTcpLink, type TcpLink } from '../../support/database/tcp-link.ts';
import type { Scenario, Trial, World } from '../types.ts';
import { underLoad } from '../under-load.ts';

/**
 * A standby takes over from a primary that crashes under load. A synchronous standby has all acknowledged
 * writes; an asynchronous one loses its lag. The control makes the lag large by stopping replication first.
 */
export const promotion: Scenario = {
  name: 'promotion',
  promise: 'what was acknowledged is on the synchronous standby that is promoted, once',
  databases: ['postgres'],
  control: { breaks: 'the standby is asynchronous and lags', counts: 'lost' },
  async run(trial) {
    const world = await trial.open({ linked: true });
    const primary = world.cluster as Cluster;
    const { standby, replication } = await follow(trial, primary);
    if (!trial.broken) await makeSynchronous(primary);
    await underLoad(trial, world, async () => {
      await sleep(trial.ms / 2);
      if (trial.broken) {
        replication.silence();
        replication.silent = true;
        await sleep(1_500);
      }
      await takeOver(world, primary, standby);
      await sleep(trial.ms / 2);
    });
    trial.score.note(trial.broken ? 'replication was silent for 1.5 s before the crash' : 'one promotion');
  },
};

async function follow(trial: Trial, primary: Cluster): Promise<{ standby: Cluster; replication: TcpLink }> {
  const replication = await openTcpLink(primary.port);
  trial.after(() => replication.close());
  const standby = await standbyOf(primary, path.join(trial.folder, 'standby'), 'standby', replication.port);
  trial.after(() => removeCluster(standby));
  await standby.start();
  return { standby, replication };
}

/** Acts as an operator's failover: removes the old primary, and moves its address to the new one. */
async function takeOver({ link }: World, primary: Cluster, standby: Cluster): Promise<void> {
  await primary.stop('SIGKILL');
  await standby.query('SELECT pg_promote()');
  if (link) link.target = standby.port;
}

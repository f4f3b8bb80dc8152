import type { Cluster, Settings } from '../../support/database/postgres-cluster.ts';
import type { Scenario } from '../types.ts';
import { again, underLoad } from '../under-load.ts';

type Blow = { name: string; strike(cluster: Cluster, settings: Settings): Promise<void> };

const ends = (name: string, signal: NodeJS.Signals): Blow => ({
  name,
  async strike(cluster, settings) {
    await cluster.stop(signal);
    await cluster.start(settings);
  },
});
const crash = ends('crashes', 'SIGKILL');
const blows: Blow[] = [
  crash,
  ends('immediate ends', 'SIGQUIT'),
  ends('restarts', 'SIGINT'),
  {
    name: 'times all connections lost',
    async strike(cluster) {
      await cluster.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley'`);
    },
  },
];

/** Acknowledges writes seconds before they are on disk. */
const careless: Settings = { synchronous_commit: 'off', wal_writer_delay: '10s', bgwriter_delay: '10s' };

export const databaseEnds: Scenario = {
  name: 'database-ends',
  promise: 'what was acknowledged survives crashes and restarts of PostgreSQL, once',
  databases: ['postgres'],
  control: { breaks: 'the server commits with synchronous_commit=off', counts: 'lost' },
  async run(trial) {
    const settings: Settings = trial.broken ? careless : {};
    const world = await trial.open({ settings });
    const counts = new Map<string, number>();
    await underLoad(trial, world, async () => {
      await again(trial, async () => {
        const blow = trial.broken ? crash : (blows[Math.floor(trial.random() * blows.length)] ?? crash);
        counts.set(blow.name, (counts.get(blow.name) ?? 0) + 1);
        await blow.strike(world.cluster as Cluster, settings);
      });
      trial.score.note([...counts].map(([name, count]) => `${count} ${name}`).join(', '));
    });
  },
};

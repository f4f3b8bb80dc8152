import type { DatabaseHandle } from '../client.ts';
import { inBackground } from '../deadline.ts';

/** How long an answer of the nodes is kept, in milliseconds. */
const freshMs = 10_000;

/** The nodes of a cluster: which of them answer. */
export type ClusterNodes = {
  /** 1 for each node that answers, otherwise 0, by host and port; empty on a plain server. */
  read(): Promise<Record<string, number>>;
  /** The nodes that did not answer when last asked. Never waits: an outdated answer is renewed meanwhile. */
  unavailable(): string[];
};

/** Asks the coordinator whether it can connect to each node, at most every 10 seconds, on the connection of probes. */
export function createClusterNodes({ pool, probe }: Pick<DatabaseHandle, 'pool' | 'probe'>): ClusterNodes {
  let known: Record<string, number> = {};
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const { rows } = await probe.query<{ host: string; port: number }>(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE isactive AND noderole = 'primary' ORDER BY 1, 2`,
    );
    const answers: Record<string, number> = {};
    // One after the other: a node whose host is gone takes as long as the probe may.
    for (const { host, port } of rows) {
      const statement = 'SELECT citus_check_connection_to_node($1, $2) AS answers';
      const check = await probe.query<{ answers: boolean }>(statement, [host, port]).catch(() => null);
      answers[`${host}:${port}`] = check?.rows[0]?.answers ? 1 : 0;
    }
    known = answers;
    asked = performance.now();
  }

  function renew(): Promise<void> {
    if (!pool.isDistributed || performance.now() - asked < freshMs) return Promise.resolve();
    return (asking ??= inBackground(ask).finally(() => (asking = null)));
  }

  return {
    async read() {
      await renew();
      return known;
    },
    unavailable() {
      renew().catch(() => {});
      return Object.keys(known).filter((name) => known[name] === 0);
    },
  };
}

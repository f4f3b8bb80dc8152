import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseHandle } from '../client.ts';
import { inBackground } from '../deadline.ts';

/** How long an answer of the nodes is kept, in milliseconds: whoever calls /ready does not make it ask more often. */
const freshMs = 1_000;
/** How long /ready waits for them, in milliseconds: the probes of Kubernetes wait for a second by default. */
const waitMs = 700;

/** The nodes of a cluster: which of them answer. */
export type ClusterNodes = {
  /** 1 for each node that answers, otherwise 0, by host and port; empty on a plain server. */
  read(): Promise<Record<string, number>>;
  /** The nodes that do not answer, or not while /ready can wait. */
  unavailable(): Promise<string[]>;
};

/** Asks the coordinator whether it can connect to each node, at most once a second. */
export function createClusterNodes({ pool, nodes }: Pick<DatabaseHandle, 'pool' | 'nodes'>): ClusterNodes {
  let known: Record<string, number> = {};
  let asked = Number.NEGATIVE_INFINITY;
  let waitingFor: string | null = null;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const { rows } = await nodes.query<{ host: string; port: number }>(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE isactive AND noderole = 'primary' ORDER BY 1, 2`,
    );
    const answers: Record<string, number> = {};
    // One after the other: a node whose host is gone takes as long as its connection may.
    for (const { host, port } of rows) {
      const statement = 'SELECT citus_check_connection_to_node($1, $2) AS answers';
      waitingFor = `${host}:${port}`;
      const check = await nodes.query<{ answers: boolean }>(statement, [host, port]).catch(() => null);
      answers[waitingFor] = check?.rows[0]?.answers ? 1 : 0;
      known = { ...known, ...answers };
    }
    waitingFor = null;
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
    async unavailable() {
      const isKnown = await Promise.race([
        renew().then(
          () => true,
          () => true,
        ),
        sleep(waitMs, false, { ref: false }),
      ]);
      const silent = Object.keys(known).filter((name) => known[name] === 0);
      return isKnown || !waitingFor ? silent : [...new Set([...silent, waitingFor])].toSorted();
    },
  };
}

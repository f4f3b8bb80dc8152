import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import type { Heartbeat, HeartbeatTurn } from './types.ts';

/** Lease of an open turn, in milliseconds. The default of the column `aliveUntil` is the same. */
const leaseMs = 15_000;

/** How often a process checks whether its turns were stopped on another replica, in milliseconds. */
const pollIntervalMs = 250;
/** How often a process renews its leases: five times within a lease, so that a late renewal does no harm. */
const renewIntervalMs = leaseMs / 5;

/**
 * Renews the leases of all open turns of this process with one statement, and aborts those that were stopped elsewhere
 * or are no longer open.
 */
export function createHeartbeat({ database, log }: Pick<Services, 'database' | 'log'>): Heartbeat {
  type Entry = HeartbeatTurn & { renewedAt: number; isRemoved: boolean };
  const renewLeases = async (entries: Entry[]): Promise<void> => {
    const now = Date.now();
    const due = entries.filter(({ renewedAt }) => now - renewedAt >= renewIntervalMs);
    if (due.length === 0) return;
    const [workspaceIds, ids] = [due.map(({ workspaceId }) => workspaceId), due.map(({ id }) => id)];
    await database.$executeRaw`
      UPDATE "Turn" SET "aliveUntil" = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      FROM unnest(${workspaceIds}::text[], ${ids}::text[]) AS due("workspaceId", "id")
      WHERE "Turn"."workspaceId" = ANY (${workspaceIds}::text[]) AND "Turn"."workspaceId" = due."workspaceId"
        AND "Turn"."id" = due."id" AND "state" = 'open'`;
    for (const entry of due) entry.renewedAt = now;
  };
  const poll = async (entries: Entry[]): Promise<void> => {
    await renewLeases(entries);
    const open = await database.turn.findMany({ where: openTurns(entries), select: { id: true, stopAsked: true } });
    const stopAsked = new Map(open.map((turn) => [turn.id, turn.stopAsked]));
    for (const { id, isRemoved, abort } of entries) {
      if (isRemoved) continue;
      if (!stopAsked.has(id)) abort('lost');
      else if (stopAsked.get(id)) abort('stopped');
    }
  };
  const poller = createPoller({ intervalMs: pollIntervalMs, eager: false, poll, log });
  return (turn) => {
    const entry = { ...turn, renewedAt: Date.now(), isRemoved: false };
    poller.add(entry);
    return () => {
      entry.isRemoved = true;
      poller.remove(entry);
    };
  };
}

const openTurns = (turns: HeartbeatTurn[]) => ({
  workspaceId: { in: [...new Set(turns.map(({ workspaceId }) => workspaceId))] },
  id: { in: turns.map(({ id }) => id) },
  state: 'open' as const,
});

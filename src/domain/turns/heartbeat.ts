import type { Services } from '../../context.ts';
import { createPoller } from '../shared/poller.ts';
import type { Heartbeat, HeartbeatTurn } from './types.ts';

/** Lease of an open turn, in milliseconds. The default of the column `aliveUntil` is the same. */
const aliveMs = 15_000;

/** How often a process checks whether its turns were stopped on another replica, in milliseconds. */
const lookMs = 250;
/** How often a process renews its leases: five times within a lease, so that a late renewal does no harm. */
const signMs = aliveMs / 5;

/**
 * Renews the leases of all open turns of this process with one statement, and aborts those that were stopped elsewhere
 * or are no longer open.
 */
export function createHeartbeat({ database, log }: Pick<Services, 'database' | 'log'>): Heartbeat {
  type Entry = HeartbeatTurn & { signed: number; left: boolean };
  const sign = async (entries: Entry[]): Promise<void> => {
    const now = Date.now();
    const due = entries.filter(({ signed }) => now - signed >= signMs);
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    await database.$executeRaw`
      UPDATE "Turn" SET "aliveUntil" = clock_timestamp() + ${aliveMs} * interval '1 millisecond'
      WHERE "id" = ANY (${ids}::text[]) AND "state" = 'open'`;
    for (const entry of due) entry.signed = now;
  };
  const look = async (entries: Entry[]): Promise<void> => {
    await sign(entries);
    const open = await database.turn.findMany({ where: openAmong(entries), select: { id: true, stopAsked: true } });
    const stopAsked = new Map(open.map((turn) => [turn.id, turn.stopAsked]));
    for (const { id, left, abort } of entries) {
      if (left) continue;
      if (!stopAsked.has(id)) abort('lost');
      else if (stopAsked.get(id)) abort('stopped');
    }
  };
  const rounds = createPoller({ everyMs: lookMs, eager: false, look, log });
  return (turn) => {
    const entry = { ...turn, signed: Date.now(), left: false };
    rounds.add(entry);
    return () => {
      entry.left = true;
      rounds.remove(entry);
    };
  };
}

const openAmong = (turns: HeartbeatTurn[]) => ({ id: { in: turns.map(({ id }) => id) }, state: 'open' as const });

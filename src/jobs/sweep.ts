import type { Services } from '../context.ts';
import { expireLeases, sweepTurns } from '../domain/turns/sweep.ts';
import { every } from './every.ts';

/** How often each process looks for turns whose process has died, in milliseconds: one small read. */
const sweepMs = 5_000;

/** Ends what dead processes have left open, from now on and until `close`. */
export function startSweep(services: Services): { close(): Promise<void> } {
  const sweep = async (): Promise<void> => {
    const count = await sweepTurns(services);
    if (count > 0) services.log.info({ count }, 'Turns that a dead process had left open were ended');
  };
  return every(sweepMs, sweep, (error) => services.log.error({ err: error }, 'A sweep of the turns failed'));
}

/** What the process before has left open is over, where a database is one process's alone: to be said before any other turn. */
export const expireOrphanedTurns = (services: Services): Promise<void> => expireLeases(services);

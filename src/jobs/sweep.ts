import { sweepTurns, takeForDead } from '../domain/turn-sweep.ts';
import type { Services } from '../services.ts';

/** How often each process looks for turns whose process has died, in milliseconds: one small read. */
const sweepMs = 5_000;

/** Ends what dead processes have left open, from now on and until `close`. */
export function startSweep(services: Services): { close(): Promise<void> } {
  let sweeping = Promise.resolve();
  const sweep = async (): Promise<void> => {
    try {
      const count = await sweepTurns(services);
      if (count > 0) services.log.info({ count }, 'Turns that a dead process had left open were ended');
    } catch (error) {
      services.log.error({ err: error }, 'A sweep of the turns failed');
    }
  };
  const next = () => {
    sweeping = sweeping.then(sweep);
  };
  next();
  const interval = setInterval(next, sweepMs).unref();
  return {
    close() {
      clearInterval(interval);
      return sweeping;
    },
  };
}

/** What the process before has left open is over, where a database is one process's alone: to be said before any other turn. */
export const takeOver = (services: Services): Promise<void> => takeForDead(services);

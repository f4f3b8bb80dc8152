import { analyzeChanged } from '../database/statistics.ts';
import type { Services } from '../services.ts';

const everyMs = 30_000;

/** Does for the embedded database what a server of PostgreSQL does by itself, from now on and until `close`. */
export function startUpkeep({ pool, log }: Pick<Services, 'pool' | 'log'>): { close(): Promise<void> } {
  let working = Promise.resolve();
  const work = async (): Promise<void> => {
    try {
      const tables = await analyzeChanged(pool);
      if (tables.length > 0) log.debug({ tables }, 'Tables that have changed were counted anew');
    } catch (error) {
      log.error({ err: error }, 'Tables could not be counted anew');
    }
  };
  const next = () => {
    working = working.then(work);
  };
  next();
  const interval = setInterval(next, everyMs).unref();
  return {
    close() {
      clearInterval(interval);
      return working;
    },
  };
}

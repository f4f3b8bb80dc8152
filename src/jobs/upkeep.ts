import { analyzeChanged } from '../database/statistics.ts';
import type { Services } from '../services.ts';
import { every } from './every.ts';

const everyMs = 30_000;

/** Does for the embedded database what a server of PostgreSQL does by itself, from now on and until `close`. */
export function startUpkeep({ pool, log }: Pick<Services, 'pool' | 'log'>): { close(): Promise<void> } {
  const work = async (): Promise<void> => {
    const tables = await analyzeChanged(pool);
    if (tables.length > 0) log.debug({ tables }, 'Tables that have changed were counted anew');
  };
  return every(everyMs, work, (error) => log.error({ err: error }, 'Tables could not be counted anew'));
}

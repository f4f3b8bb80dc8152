import { ConfigError } from './config-error.ts';

type Variables = { WORKERS: number; DATABASE_URL?: string | undefined };

/** How many processes serve requests. Throws `ConfigError`: the embedded database belongs to one process. */
export function readWorkers({ WORKERS, DATABASE_URL }: Variables): number {
  if (WORKERS === 1 || DATABASE_URL) return WORKERS;
  throw new ConfigError(
    'WORKERS: more than 1 needs a PostgreSQL server, named by DATABASE_URL: the embedded database belongs to one process',
  );
}

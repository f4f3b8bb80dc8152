import { ConfigError } from './config-error.ts';

type Variables = { DATABASE_READ_URL?: string | undefined; DATABASE_URL?: string | undefined };

/** The URL of the standby, or null. Throws `ConfigError`: the embedded database has none. */
export function readStandby({ DATABASE_READ_URL, DATABASE_URL }: Variables): string | null {
  if (!DATABASE_READ_URL || DATABASE_URL) return DATABASE_READ_URL ?? null;
  throw new ConfigError(
    'DATABASE_READ_URL: needs a PostgreSQL server, named by DATABASE_URL, whose standby it is: the embedded database has none',
  );
}

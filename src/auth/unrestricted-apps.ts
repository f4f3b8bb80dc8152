import type { Logger } from 'pino';
import type { Pool } from '../database/pool.ts';

type UnrestrictedApp = { workspaceId: string; id: string; name: string };

/** The maximum number of apps in a log line. */
const NAMED = 20;

/**
 * Returns the apps that get tokens for any role of a member, because they are older than the rule that limits apps to
 * their roles.
 */
export async function unrestrictedApps({ pool }: { pool: Pool }): Promise<UnrestrictedApp[]> {
  const { rows } = await pool.query<UnrestrictedApp>(
    'SELECT "workspaceId", "id", "name" FROM "App" WHERE "unrestricted" ORDER BY "workspaceId", "id"',
  );
  return rows;
}

/** Warns about these apps in the log at the start. */
export async function warnOfUnrestrictedApps({ pool, log }: { pool: Pool; log: Logger }): Promise<void> {
  const found = await unrestrictedApps({ pool });
  if (found.length === 0) return;
  const apps = found.slice(0, NAMED).map(({ workspaceId, id }) => `${workspaceId}/${id}`);
  log.warn(
    { apps, count: found.length },
    'these apps can get tokens for any role a member has until their roles are set: see docs/migrating.md',
  );
}

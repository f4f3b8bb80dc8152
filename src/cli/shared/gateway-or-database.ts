import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { FolderInUseError } from '../../database/pglite/folder-lock.ts';

/** How long to wait for a gateway that holds the folder, in milliseconds: it may still be starting. */
const MAX_WAIT_MS = 15_000;

type Alternatives<Answer> = { viaGateway: () => Promise<Answer | null>; viaDatabase: () => Promise<Answer> };

/**
 * Does the work of a command whether or not the gateway is running: an embedded database belongs to one process, so a
 * running gateway is asked over its socket; otherwise, and on a server, the database is opened directly.
 */
export async function withGatewayOrDatabase<Answer>(
  config: Config,
  { viaGateway, viaDatabase }: Alternatives<Answer>,
): Promise<Answer> {
  if (config.databaseUrl) return viaDatabase();
  for (const deadline = Date.now() + MAX_WAIT_MS; ; await sleep(200)) {
    const answer = await viaGateway();
    if (answer) return answer;
    try {
      return await viaDatabase();
    } catch (error) {
      if (!(error instanceof FolderInUseError) || Date.now() > deadline) throw error;
    }
  }
}

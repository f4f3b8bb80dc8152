import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { FolderInUseError } from '../database/pglite/folder-lock.ts';

/** How long to wait for a gateway that holds the folder, in milliseconds: it may still be starting. */
const PATIENCE_MS = 15_000;

type Ways<Answer> = { ask: () => Promise<Answer | null>; open: () => Promise<Answer> };

/**
 * Does the work of a command whether or not the gateway is running: an embedded database belongs to one process, so a
 * running gateway is asked over its socket; otherwise, and on a server, the database is opened directly.
 */
export async function eitherWay<Answer>(config: Config, { ask, open }: Ways<Answer>): Promise<Answer> {
  if (config.databaseUrl) return open();
  for (const patience = Date.now() + PATIENCE_MS; ; await sleep(200)) {
    const answer = await ask();
    if (answer) return answer;
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof FolderInUseError) || Date.now() > patience) throw error;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { FolderInUseError } from '../database/pglite/folder-lock.ts';

/** How long a gateway that has the folder may take until it answers, in milliseconds: it may be starting. */
const PATIENCE_MS = 15_000;

type Ways<Answer> = { ask: () => Promise<Answer | null>; open: () => Promise<Answer> };

/**
 * Does the work of a command whether or not the gateway runs: the embedded database belongs to one process, which is asked
 * while it is the gateway; a server's is opened.
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

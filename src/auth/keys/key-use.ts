import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Viewer } from '../../core/viewer.ts';
import type { Database } from '../../database/client.ts';

/** How often the use of one key is written, in milliseconds. */
const everyMs = 60_000;

type Options = { database: Database; now: () => Date; log: Pick<Logger, 'warn'> };
/** Notes that a bearer was used, when it is a key; the address is asked for only where it is written. */
export type NoteUse = (viewer: Viewer, address: () => string | null) => void;

/** Writes when and from where keys were used last: at most once a minute for each, beside the request. */
export function createKeyUse({ database, now, log }: Options): NoteUse {
  const written = new LRUCache<string, number>({ max: 10_000 });
  return ({ workspaceId, key }, address) => {
    if (!key) return;
    const time = now();
    if (time.getTime() - (written.get(key.id) ?? 0) < everyMs) return;
    written.set(key.id, time.getTime());
    const before = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: new Date(time.getTime() - everyMs) } }] };
    database.key
      .updateMany({
        where: { workspaceId, id: key.id, ...before },
        data: { lastUsedAt: time, lastUsedFrom: address() },
      })
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a key could not be written'));
  };
}

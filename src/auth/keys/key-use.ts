import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { forbidden } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Database } from '../../database/client.ts';

/** How often the use of a key is recorded at most, in milliseconds. */
const writeIntervalMs = 60_000;

type Options = { database: Database; now: () => Date; log: Pick<Logger, 'warn'> };
/** Records the use of a bearer if it is a key; `address` is called only if the use is written. */
type RecordUse = (viewer: Viewer, address: () => string | null) => void;

/** Records when and from where keys were last used: at most once a minute per key, without delaying the request. */
export function createKeyUse({ database, now, log }: Options): RecordUse {
  const lastWrites = new LRUCache<string, number>({ max: 10_000 });
  return ({ workspaceId, key }, address) => {
    if (!key) return;
    const time = now();
    if (time.getTime() - (lastWrites.get(key.id) ?? 0) < writeIntervalMs) return;
    lastWrites.set(key.id, time.getTime());
    const before = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: new Date(time.getTime() - writeIntervalMs) } }] };
    database.key
      .updateMany({
        where: { workspaceId, id: key.id, ...before },
        data: { lastUsedAt: time, lastUsedFrom: address() },
      })
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a key could not be recorded'));
  };
}

/** The paths at which saved operations are run. */
const surfaces = /^\/(graphql|mcp|run\/[^/]+)$/;
/** The path of a board. */
const board = /^\/run\/boards\/[^/]+$/;

/**
 * Throws 403 `forbidden` for a key that is limited to saved operations or to a board, at any path where it has nothing
 * to do.
 */
export function requireSurface({ key }: Viewer, path: string): void {
  if (!key) return;
  if (key.dashboardId !== null && !board.test(path))
    throw forbidden('This key may only show one board, by /run/boards.');
  if (key.operations.length > 0 && !surfaces.test(path))
    throw forbidden('This key may run only saved operations, by /graphql, /run or /mcp.');
}

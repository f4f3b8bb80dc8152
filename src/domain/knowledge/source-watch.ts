import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/client.ts';
import type { BaseKey, Followed, SourceWatch } from './types.ts';

type SourceState = { id: string; underWay: boolean; state: string };
/** The result of a poll: the sources of each base that has listeners. */
type Seen = Map<string, SourceState[]>;

/** Polling interval in milliseconds. */
const lookMs = 500;
const keyOf = ({ workspaceId, baseId }: BaseKey) => `${workspaceId} ${baseId}`;

/** One query serves all listeners of this process; without listeners there is none. */
export function createSourceWatch(database: Database): SourceWatch {
  const listened = new Map<string, BaseKey & { count: number }>();
  let looking: Promise<Seen> | null = null;
  let closed = false;

  const listen = (base: BaseKey, by: 1 | -1) => {
    const key = keyOf(base);
    const count = (listened.get(key)?.count ?? 0) + by;
    if (count === 0) listened.delete(key);
    else listened.set(key, { ...base, count });
  };
  const look = async (): Promise<Seen> => {
    await sleep(lookMs, undefined, { ref: false });
    return closed ? new Map() : readStates(database, [...listened.values()]);
  };
  const nextLook = (): Promise<Seen> =>
    (looking ??= look().finally(() => {
      looking = null;
    }));

  async function* changes({ sourceId, ...base }: Followed, listener: { left: boolean }): AsyncGenerator<string, void> {
    const told = new Map<string, string>();
    listen(base, 1);
    try {
      let seen = await readStates(database, [base]);
      while (!closed && !listener.left) {
        const sources = seen.get(keyOf(base))?.filter(({ id }) => !sourceId || id === sourceId);
        // Missing if the poll began before this listener was added.
        if (sources) {
          for (const { id, state } of sources) {
            if (told.get(id) === state) continue;
            told.set(id, state);
            yield id;
          }
          if (sourceId && sources.length === 0) yield sourceId;
          if (!sources.some(({ underWay }) => underWay)) return;
        }
        seen = await nextLook();
      }
    } finally {
      listen(base, -1);
    }
  }

  return {
    follow(which) {
      const listener = { left: false };
      const events = changes(which, listener);
      return {
        next: () => events.next(),
        // A generator's `return()` waits for a pending `next()`: the flag makes that one end.
        return() {
          listener.left = true;
          return events.return();
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    close() {
      closed = true;
    },
  };
}

async function readStates(database: Database, bases: BaseKey[]): Promise<Seen> {
  const rows = await database.$queryRaw<(BaseKey & SourceState)[]>`
    SELECT source."workspaceId", source."baseId", source."id", source."status" = 'in_progress' AS "underWay",
      concat_ws(' ', "revision", "status", "attempts", "done", "total", extract(epoch FROM "updatedAt")) AS "state"
    FROM unnest(${bases.map(({ workspaceId }) => workspaceId)}::text[], ${bases.map(({ baseId }) => baseId)}::text[])
      AS base("workspaceId", "baseId")
    JOIN "Source" source ON source."workspaceId" = base."workspaceId" AND source."baseId" = base."baseId"
    ORDER BY source."createdAt", source."id"`;
  const seen: Seen = new Map(bases.map((base) => [keyOf(base), []]));
  for (const { workspaceId, baseId, ...source } of rows) seen.get(keyOf({ workspaceId, baseId }))?.push(source);
  return seen;
}

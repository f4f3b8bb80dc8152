import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import type { Database } from '../../database/client.ts';
import type { BaseKey, Followed, SourceWatch } from './types.ts';

type SourceState = { id: string; underWay: boolean; state: string };
/** The result of a poll: the sources of each base that has listeners. */
type StatesByBase = Map<string, SourceState[]>;

/** Polling interval in milliseconds. */
const pollIntervalMs = 500;
const keyOf = ({ workspaceId, baseId }: BaseKey) => `${workspaceId} ${baseId}`;

/** One query serves all listeners of this process; without listeners there is none. */
export function createSourceWatch(database: Database): SourceWatch {
  const watchedBases = new Map<string, BaseKey & { count: number }>();
  let polling: Promise<StatesByBase> | null = null;
  let closed = false;

  const count = (base: BaseKey, by: 1 | -1) => {
    const key = keyOf(base);
    const count = (watchedBases.get(key)?.count ?? 0) + by;
    if (count === 0) watchedBases.delete(key);
    else watchedBases.set(key, { ...base, count });
  };
  const poll = async (): Promise<StatesByBase> => {
    await sleep(pollIntervalMs, undefined, { ref: false });
    return closed ? new Map() : readStates(database, [...watchedBases.values()]);
  };
  const nextPoll = (): Promise<StatesByBase> =>
    (polling ??= poll().finally(() => {
      polling = null;
    }));

  async function* changes(
    { sourceId, ...base }: Followed,
    listener: { isClosed: boolean },
  ): AsyncGenerator<string, void> {
    const reported = new Map<string, string>();
    count(base, 1);
    try {
      let states = await readStates(database, [base]);
      while (!closed && !listener.isClosed) {
        const sources = states.get(keyOf(base))?.filter(({ id }) => !sourceId || id === sourceId);
        // Missing if the poll began before this listener was added.
        if (sources) {
          for (const { id, state } of sources) {
            if (reported.get(id) === state) continue;
            reported.set(id, state);
            yield id;
          }
          if (sourceId && sources.length === 0) yield sourceId;
          if (!sources.some(({ underWay }) => underWay)) return;
        }
        states = await nextPoll();
      }
    } finally {
      count(base, -1);
    }
  }

  return {
    follow(which) {
      const listener = { isClosed: false };
      const events = changes(which, listener);
      return {
        next: () => events.next(),
        // A generator's `return()` waits for a pending `next()`: the flag makes that one end.
        return() {
          listener.isClosed = true;
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

async function readStates(database: Database, bases: BaseKey[]): Promise<StatesByBase> {
  const rows = await database.$queryRaw<(BaseKey & SourceState)[]>`
    SELECT source."workspaceId", source."baseId", source."id", source."status" = 'in_progress' AS "underWay",
      concat_ws(' ', "revision", "status", "attempts", "done", "total", extract(epoch FROM "updatedAt")) AS "state"
    FROM unnest(${bases.map(({ workspaceId }) => workspaceId)}::text[], ${bases.map(({ baseId }) => baseId)}::text[])
      AS base("workspaceId", "baseId")
    JOIN "Source" source ON source."workspaceId" = base."workspaceId" AND source."baseId" = base."baseId"
    ORDER BY source."createdAt", source."id"`;
  const states: StatesByBase = new Map(bases.map((base) => [keyOf(base), []]));
  for (const { workspaceId, baseId, ...source } of rows) states.get(keyOf({ workspaceId, baseId }))?.push(source);
  return states;
}

/** Yields the id of a source at once and on every change, until it has been read. Throws 404 `not_found`. */
export async function watchSource(context: Context, id: string): Promise<AsyncIterable<string>> {
  permit(context, 'bases.read');
  const { workspaceId } = context.viewer;
  const source = await context.database.source.findFirst({ where: { workspaceId, id }, select: { baseId: true } });
  if (!source) throw notFound('Source');
  return context.sourceWatch.follow({ workspaceId, baseId: source.baseId, sourceId: id });
}

/**
 * Yields the ids of all sources of a base, then of each that changes, until all have been read. Throws 404 `not_found`.
 */
export async function watchBase(context: Context, id: string): Promise<AsyncIterable<string>> {
  permit(context, 'bases.read');
  const { workspaceId } = context.viewer;
  if (!(await context.database.base.findFirst({ where: { workspaceId, id }, select: { id: true } })))
    throw notFound('Base');
  return context.sourceWatch.follow({ workspaceId, baseId: id });
}

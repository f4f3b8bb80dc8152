import type { Services } from '../context.ts';
import { createPoller } from '../domain/shared/poller.ts';

/** How often a workspace that is followed is asked for changes, in milliseconds: once for all who follow it. */
const pollIntervalMs = 1_000;
/** How long polls rest, in times of how long one took: they take at most a fifth of one connection. */
const rest = 4;
/** How far back a poll looks at least, and at most twice: what a transaction of this length commits late is seen. */
const minOverlapMs = 60_000;

/**
 * Where changes are seen, by columns that have an index: what was written to a row, or that it was deleted, which the
 * audit log has. Other changes, such as by retention, are found by who looks again after a while.
 */
export const changeColumns: Readonly<Record<string, 'updatedAt' | 'createdAt'>> = {
  Agent: 'updatedAt',
  Base: 'updatedAt',
  Conversation: 'updatedAt',
  Dashboard: 'updatedAt',
  Document: 'updatedAt',
  EvaluationCase: 'updatedAt',
  Lead: 'updatedAt',
  SavedOperation: 'updatedAt',
  Source: 'updatedAt',
  AuditEntry: 'createdAt',
  Citation: 'createdAt',
  Copy: 'createdAt',
  EvaluationRun: 'createdAt',
  ErasureReceipt: 'createdAt',
  Message: 'createdAt',
  WebhookDelivery: 'createdAt',
};
/** What is written again, whose changes are seen while it is new: an index by them would cost each of its writes. */
const changedSoon = new Set(['Copy', 'EvaluationRun', 'Message']);

/** How many rows of a workspace were written since a time, and when. */
const statement = Object.entries(changeColumns)
  .map(
    ([table, column]) => `
      SELECT concat('${table} ', count(*), ' ', sum(extract(epoch FROM "${changedSoon.has(table) ? 'updatedAt' : column}"))) AS "mark",
        now() AS "at"
      FROM "${table}" WHERE "workspaceId" = $1 AND "${column}" >= $2::timestamptz`,
  )
  .join(' UNION ALL ');

type Mark = { mark: string; at: Date };
type State = {
  workspaceId: string;
  /** Since when rows count in `mark`; null before the first poll. */
  since: Date | null;
  /** When the database was asked, by its own clock. */
  at: Date;
  mark: string;
  version: number;
  wake: Set<() => void>;
};

type Changes = {
  /** Resolves after a change since it resolved last, also one while nobody waited, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  end(): void;
};
export type FollowChanges = (workspaceId: string) => Changes;

/**
 * Follows the changes of rows in workspaces, by whichever replica they are written. The first is what may have changed
 * before: it is not known how old the rows of the follower are.
 */
export function createFollowChanges(
  { database, log }: Pick<Services, 'database' | 'log'>,
  { intervalMs = pollIntervalMs, overlapMs = minOverlapMs } = {},
): FollowChanges {
  const states = new Map<string, State & { followers: number }>();

  const marksSince = async (workspaceId: string, since: Date): Promise<Mark> => {
    const marks = await database.$queryRawUnsafe<Mark[]>(statement, workspaceId, since);
    const mark = marks.map((one) => one.mark).sort();
    return { mark: mark.join(), at: marks[0]?.at ?? since };
  };
  const read = async (state: State): Promise<void> => {
    const { workspaceId, since, mark } = state;
    let { at } = state;
    if (since === null) ({ at } = await marksSince(workspaceId, at));
    // First, so that what is written before the comparison is seen in that one.
    let next: Pick<State, 'since' | 'mark'> | undefined;
    if (since === null || at.getTime() - since.getTime() > 2 * overlapMs) {
      const later = new Date(at.getTime() - overlapMs);
      next = { since: later, mark: (await marksSince(workspaceId, later)).mark };
    }
    const now = since === null ? { at, mark: null } : await marksSince(workspaceId, since);
    Object.assign(state, { mark: now.mark, ...next, at: now.at });
    if (now.mark === mark) return;
    state.version += 1;
    for (const wake of state.wake) wake();
  };
  let restsUntil = 0;
  const poll = async (all: State[]): Promise<void> => {
    const started = performance.now();
    if (started < restsUntil) return;
    let failure: { error: unknown } | undefined;
    // One after another, so that they take no more than one connection. One that fails delays no other.
    for (const state of all)
      await read(state).catch((error: unknown) => {
        failure ??= { error };
      });
    restsUntil = performance.now() + rest * (performance.now() - started);
    if (failure) throw failure.error;
  };
  const poller = createPoller({ intervalMs, eager: true, poll, log });

  return (workspaceId) => {
    const state = states.get(workspaceId) ?? {
      workspaceId,
      since: null,
      at: new Date(),
      mark: '',
      version: 0,
      wake: new Set(),
      followers: 0,
    };
    states.set(workspaceId, state);
    state.followers += 1;
    poller.add(state);
    let seen = -1;
    return {
      async next(signal) {
        if (!signal.aborted && (state.since === null || state.version === seen))
          await new Promise<void>((resolve) => {
            const wake = () => {
              state.wake.delete(wake);
              signal.removeEventListener('abort', wake);
              resolve();
            };
            state.wake.add(wake);
            signal.addEventListener('abort', wake);
          });
        seen = state.version;
      },
      end() {
        state.followers -= 1;
        if (state.followers > 0) return;
        poller.remove(state);
        states.delete(workspaceId);
      },
    };
  };
}

import type { Services } from '../context.ts';
import { createPoller } from '../domain/shared/poller.ts';

/** How often a workspace that is followed is asked for changes, in milliseconds: once for all who follow it. */
const pollIntervalMs = 1_000;

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
  WebhookDelivery: 'createdAt',
};

const marks = [
  ...Object.entries(changeColumns).map(([table, column]) => markOf(table, column, '')),
  // Replies are rated soon, if at all. An index by the time of the last change would cost each write of a message.
  markOf('Message', 'updatedAt', `AND "createdAt" >= w."since" - interval '15 minutes'`),
];
/**
 * How many rows were written since two times, and when: since the time of `$2`, to compare with what was read before,
 * and since a minute ago, to compare with next. What a slow transaction commits late is in both.
 */
const statement = `
  SELECT w."since", concat_ws(' ', ${marks.join(', ')}) AS "mark"
  FROM (VALUES (1, $2::timestamptz), (2, date_trunc('milliseconds', now()) - interval '1 minute')) w("place", "since")
  ORDER BY w."place"`;

function markOf(table: string, column: string, more: string): string {
  return `(SELECT concat(count(*), ',', sum(extract(epoch FROM "${column}"))) FROM "${table}"
    WHERE "workspaceId" = $1 AND "${column}" >= w."since" ${more})`;
}

type State = { workspaceId: string; since: Date | null; mark: string; version: number; wake: Set<() => void> };

export type Changes = {
  /** Resolves after a change since it resolved last, be it while nobody waited, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  end(): void;
};
export type FollowChanges = (workspaceId: string) => Changes;

/**
 * Follows the changes of rows in workspaces, by whichever replica they are written. The first is what may have changed
 * before: nobody knows since when the follower knows the rows.
 */
export function createFollowChanges(
  { database, log }: Pick<Services, 'database' | 'log'>,
  intervalMs = pollIntervalMs,
): FollowChanges {
  const states = new Map<string, State & { followers: number }>();

  const read = async (state: State): Promise<void> => {
    const { workspaceId, since, mark } = state;
    type Marks = Pick<State, 'since' | 'mark'>[];
    const [before, now] = await database.$queryRawUnsafe<Marks>(statement, workspaceId, since ?? new Date());
    if (!before || !now) return;
    Object.assign(state, now);
    if (since !== null && before.mark === mark) return;
    state.version += 1;
    for (const wake of state.wake) wake();
  };
  const poll = async (all: State[]): Promise<void> => {
    let failure: { error: unknown } | undefined;
    // One after another, so that they take no more than one connection. One that fails delays no other.
    for (const state of all)
      await read(state).catch((error: unknown) => {
        failure ??= { error };
      });
    if (failure) throw failure.error;
  };
  const poller = createPoller({ intervalMs, eager: true, poll, log });

  return (workspaceId) => {
    const state = states.get(workspaceId) ?? {
      workspaceId,
      since: null,
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

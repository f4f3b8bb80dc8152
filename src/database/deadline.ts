import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../core/actor.ts';
import { withoutSpan } from '../core/tracing.ts';

/** A request has used up its time for waiting on the database. */
export class DatabaseTimeoutError extends Error {
  override name = 'DatabaseTimeoutError';

  constructor(limitMs: number) {
    super(`The database did not answer within ${limitMs} ms.`);
  }
}

/** A wait for a connection, or for the result of a statement. */
export type Wait = { abort(error: DatabaseTimeoutError): void };

/**
 * How long a request may wait for the database in total. Consecutive waits add up, concurrent waits count once, and
 * time spent on anything else does not count.
 */
export class Deadline implements Wait {
  readonly limitMs: number;
  /** The deadline of a request that these waits also count towards. They outlive it. */
  readonly #request: Deadline | null;
  readonly #waits = new Set<Wait>();
  #spentMs = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Created on demand: most requests end long before. */
  #expired: PromiseWithResolvers<never> | undefined;

  constructor(limitMs: number, request: Deadline | null = null) {
    this.limitMs = limitMs;
    this.#request = request;
  }

  /** Rejects with `DatabaseTimeoutError` once the deadline has passed. */
  get expired(): Promise<never> {
    if (!this.#expired) {
      this.#expired = Promise.withResolvers<never>();
      this.#expired.promise.catch(() => {});
      if (this.isExpired) this.#expired.reject(new DatabaseTimeoutError(this.limitMs));
    }
    return this.#expired.promise;
  }

  /** Nothing to do: the waits go on after the request's deadline. */
  abort(): void {}

  /**
   * Starts a wait, which is asked to give up at the deadline unless it ends before. Throws `DatabaseTimeoutError` if no
   * time is left.
   */
  begin(wait: Wait): void {
    if (this.#waits.size === 0) {
      const remainingMs = this.limitMs - this.#spentMs;
      if (remainingMs <= 0) throw new DatabaseTimeoutError(this.limitMs);
      this.#since = performance.now();
      this.#start(remainingMs);
      if (this.#request?.isExpired === false) this.#request.begin(this);
    }
    this.#waits.add(wait);
  }

  get isExpired(): boolean {
    return this.#spentMs >= this.limitMs;
  }

  end(wait: Wait): void {
    if (!this.#waits.delete(wait) || this.#waits.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#since;
    this.#request?.end(this);
  }

  #start(ms: number): void {
    // Node keeps its timers in a list for each length of time: few lists, if the lengths are round.
    const timer = setTimeout(
      () => {
        // If the event loop was blocked, first read what has arrived meanwhile.
        setImmediate(() => this.#timer === timer && this.#expire());
      },
      Math.ceil(ms / 10) * 10,
    );
    this.#timer = timer;
  }

  #expire(): void {
    const waits = [...this.#waits];
    this.#waits.clear();
    this.#timer = undefined;
    this.#spentMs = this.limitMs;
    this.#request?.end(this);
    for (const wait of waits) wait.abort(new DatabaseTimeoutError(this.limitMs));
    this.#expired?.reject(new DatabaseTimeoutError(this.limitMs));
  }
}

/** What a request has done in the database so far. */
type Outcome = {
  /** Whether its writes may have been stored although it fails. */
  uncertain: boolean;
  /** The number of statements sent, BEGIN and COMMIT included. */
  statements: number;
  /** The statements themselves, where they are recorded. */
  sent?: SentStatement[];
};
/** A statement and its parameters. */
export type SentStatement = { text: string; values: unknown[] };

/** What a request accepts that may be answered by a standby. */
type Staleness = {
  /** How far behind the primary its data may be, in milliseconds; at most `Infinity`. */
  maxMs: number;
  /** How far behind the oldest data was that a standby has returned so far, in milliseconds; null if none has. */
  ageMs: number | null;
  /** Whether all further reads go to the primary, so that none sees less than an earlier one. */
  isOver: boolean;
};

/** Whose statements these are, and how long they may wait. */
type Scope = {
  limitMs: number;
  /** Null if no request waits for all of them: each wait then has the full limit. */
  deadline: Deadline | null;
  /** The deadline of the request that waits for this work, which goes on without it. */
  request: Deadline | null;
  outcome: Outcome;
  /** Null if nothing of the request may be read from a standby. */
  staleness: Staleness | null;
  /** Null until the request is authenticated. */
  workspaceId: string | null;
  /** Returns who acts; null until the request is authenticated. */
  actor: (() => Actor) | null;
  /** By which its lines in the log are found. */
  requestId?: string;
};

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `work` with one deadline for all of its database waits. Joins the deadline of the current request, if any. With
 * `maxStaleMs`, what runs in `allowStale` may be read from a standby that is no further behind.
 */
export function withDeadline<T>(limitMs: number, work: () => T, maxStaleMs: number | null = null): T {
  if (scopes.getStore()) return work();
  const staleness = maxStaleMs === null ? null : { maxMs: maxStaleMs, ageMs: null, isOver: false };
  const own = { limitMs, deadline: new Deadline(limitMs), outcome: { uncertain: false, statements: 0 }, staleness };
  return scopes.run({ ...own, request: null, workspaceId: null, actor: null }, work);
}

const staleReads = new AsyncLocalStorage<true>();

/** Runs work that only reads, and that may be read from a standby if its request accepts that. */
export const allowStale = <T>(work: () => T): T => (scopes.getStore()?.staleness ? staleReads.run(true, work) : work());

/** What a read that begins now accepts; null if it must see the latest data. */
export const currentStaleness = (): Staleness | null =>
  staleReads.getStore() ? (scopes.getStore()?.staleness ?? null) : null;

/** How far behind the data was that a standby has returned for the request, in milliseconds; null if none has. */
export const currentAgeMs = (): number | null => scopes.getStore()?.staleness?.ageMs ?? null;

/** Runs `work` and resolves with the statements that it sent. */
export async function recordStatements(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const none = { deadline: null, request: null, staleness: null, workspaceId: null, actor: null };
  const scope = scopes.getStore() ?? { limitMs: 25_000, ...none };
  const sent: SentStatement[] = [];
  await scopes.run({ ...scope, outcome: { uncertain: false, statements: 0, sent } }, work);
  return sent;
}

/** Runs work that may outlive the request that started it: each of its waits has the full limit. */
export function withoutDeadline<T>(work: () => T): T {
  const scope = scopes.getStore();
  return scope ? scopes.run({ ...scope, deadline: null, request: null }, work) : work();
}

/**
 * Like `withoutDeadline`, for work whose result the request waits for: its waits also count towards the request, which
 * `untilDeadline` ends when its time is up, while the work goes on.
 */
export function withoutRequestDeadline<T>(work: () => T): T {
  const scope = scopes.getStore();
  return scope ? scopes.run({ ...scope, deadline: null, request: scope.deadline }, work) : work();
}

/** Resolves with the result of such work. Throws `DatabaseTimeoutError` once the request's deadline has passed. */
export function untilDeadline<T>(work: Promise<T>): Promise<T> {
  const deadline = scopes.getStore()?.deadline;
  return deadline ? Promise.race([work, deadline.expired]) : work;
}

/** Runs work outside of any request's scope, such as work that the first of many requests starts for all of them. */
export const inBackground = <T>(work: () => T): T => scopes.exit(() => withoutSpan(work));

/** Removes the request's deadline, so that a stream which it opened can go on. */
export function endDeadline(): void {
  const scope = scopes.getStore();
  if (scope) scope.deadline = null;
}

/** Records the workspace of the current request, and who acts; `actor` is called only for the audit log. */
export function setWorkspace(workspaceId: string, actor: (() => Actor) | null = null): void {
  const scope = scopes.getStore();
  if (!scope) return;
  scope.workspaceId = workspaceId;
  scope.actor = actor;
}

/** Records the id of the current request. */
export function setRequestId(requestId: string): void {
  const scope = scopes.getStore();
  if (scope) scope.requestId = requestId;
}

/** The id of the current request; null outside of one. */
export const currentRequestId = (): string | null => scopes.getStore()?.requestId ?? null;

const commands = new AsyncLocalStorage<Actor>();

/** Runs work that is not a request, such as an operator's command, with its actor in the audit log. */
export const actingAs = <T>(actor: Actor, work: () => T): T => commands.run(actor, work);

/** Who acts in the current request or command; null for the gateway itself. */
export const currentActor = (): Actor | null => commands.getStore() ?? scopes.getStore()?.actor?.() ?? null;

/** Whether the request has no time left for another attempt; false outside of a request. */
export const isTimeUp = (): boolean => scopes.getStore()?.deadline?.isExpired ?? false;

/** The workspace and the outcome of the current request; null outside of one. */
export const currentWorkspace = (): string | null => scopes.getStore()?.workspaceId ?? null;
export const currentOutcome = (): Outcome | null => scopes.getStore()?.outcome ?? null;

/** The deadline for a wait that begins now. `limitMs` applies outside of a request; null means no limit. */
export function currentDeadline(limitMs: number | null): Deadline | null {
  const scope = scopes.getStore();
  if (scope?.deadline) return scope.deadline;
  const ownMs = scope?.limitMs ?? limitMs;
  return ownMs === null ? null : new Deadline(ownMs, scope?.request);
}

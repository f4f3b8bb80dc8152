import { AsyncLocalStorage } from 'node:async_hooks';

/** The time that a request waits for the database is over, in milliseconds. */
export class DatabaseTimeoutError extends Error {
  override name = 'DatabaseTimeoutError';

  constructor(limitMs: number) {
    super(`The database did not answer within ${limitMs} ms.`);
  }
}

/** Whoever waits for a connection, or for the answer to a statement. */
export type Waiting = { giveUp(error: DatabaseTimeoutError): void };

/**
 * How long a request may wait for the database in all: the time of waits one after the other adds up, that of waits at
 * once counts once, and what the request does meanwhile does not count.
 */
export class Deadline implements Waiting {
  readonly limitMs: number;
  /** That of a request for which these waits count too, and which nobody gives up for it. */
  readonly #request: Deadline | null;
  readonly #waiting = new Set<Waiting>();
  #spentMs = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Made when somebody waits for it: most requests end long before. */
  #over: PromiseWithResolvers<never> | undefined;

  constructor(limitMs: number, request: Deadline | null = null) {
    this.limitMs = limitMs;
    this.#request = request;
  }

  /** Rejects with `DatabaseTimeoutError` when the time is over. */
  get over(): Promise<never> {
    if (!this.#over) {
      this.#over = Promise.withResolvers<never>();
      this.#over.promise.catch(() => {});
      if (this.isOver) this.#over.reject(new DatabaseTimeoutError(this.limitMs));
    }
    return this.#over.promise;
  }

  /** A wait that counts for a request too goes on after it. */
  giveUp(): void {}

  /** Has `one` give up when the time is over, unless it ends before. Throws `DatabaseTimeoutError` when there is none left. */
  begin(one: Waiting): void {
    if (this.#waiting.size === 0) {
      const leftMs = this.limitMs - this.#spentMs;
      if (leftMs <= 0) throw new DatabaseTimeoutError(this.limitMs);
      this.#since = performance.now();
      this.#start(leftMs);
      if (this.#request?.isOver === false) this.#request.begin(this);
    }
    this.#waiting.add(one);
  }

  get isOver(): boolean {
    return this.#spentMs >= this.limitMs;
  }

  end(one: Waiting): void {
    if (!this.#waiting.delete(one) || this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#since;
    this.#request?.end(this);
  }

  #start(ms: number): void {
    const timer = setTimeout(() => {
      // A process that was busy for long reads first what has come meanwhile.
      setImmediate(() => this.#timer === timer && this.#expire());
    }, ms);
    this.#timer = timer;
  }

  #expire(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#timer = undefined;
    this.#spentMs = this.limitMs;
    this.#request?.end(this);
    for (const one of waiting) one.giveUp(new DatabaseTimeoutError(this.limitMs));
    this.#over?.reject(new DatabaseTimeoutError(this.limitMs));
  }
}

/** Whether what a request wrote may be stored although its caller is told of a failure. */
export type Outcome = { uncertain: boolean };

/** On whose behalf statements are sent, and how long they may wait. */
type Scope = {
  limitMs: number;
  /** Null: each wait has the whole time, as there is no request that waits for all of them. */
  deadline: Deadline | null;
  /** The request that waits for work which goes on without it. */
  request: Deadline | null;
  outcome: Outcome;
  /** Known when the bearer is. */
  workspaceId: string | null;
};

const scopes = new AsyncLocalStorage<Scope>();

/** Answers a request: all that is asked of the database meanwhile has one deadline. Inside of one, joins it. */
export function withDeadline<T>(limitMs: number, work: () => T): T {
  if (scopes.getStore()) return work();
  return scopes.run(
    { limitMs, deadline: new Deadline(limitMs), request: null, outcome: { uncertain: false }, workspaceId: null },
    work,
  );
}

/** Work that goes on beside the request that began it, or after it: each of its waits has the whole time. */
export function withoutDeadline<T>(work: () => T): T {
  const scope = scopes.getStore();
  return scope ? scopes.run({ ...scope, deadline: null, request: null }, work) : work();
}

/**
 * The same for work whose result the request waits for: what it waits for the database counts for the request too, which
 * is told by `untilDeadline` when that has been too long, while the work goes on.
 */
export function beyondDeadline<T>(work: () => T): T {
  const scope = scopes.getStore();
  return scope ? scopes.run({ ...scope, deadline: null, request: scope.deadline }, work) : work();
}

/** What comes of such work. Throws `DatabaseTimeoutError` when the request has waited for the database too long. */
export function untilDeadline<T>(work: Promise<T>): Promise<T> {
  const deadline = scopes.getStore()?.deadline;
  return deadline ? Promise.race([work, deadline.over]) : work;
}

/** The same for work that is nobody's: what many requests share, and the first of them begins. */
export const inBackground = <T>(work: () => T): T => scopes.exit(work);

/** Has the request's deadline end with the request: a stream that it began goes on without. */
export function endDeadline(): void {
  const scope = scopes.getStore();
  if (scope) scope.deadline = null;
}

/** Says for which workspace the request is. */
export function noteWorkspace(workspaceId: string): void {
  const scope = scopes.getStore();
  if (scope) scope.workspaceId = workspaceId;
}

/** Whether there is no time left to ask once more; never while no request waits. */
export const isTimeUp = (): boolean => scopes.getStore()?.deadline?.isOver ?? false;

export const currentWorkspace = (): string | null => scopes.getStore()?.workspaceId ?? null;
export const currentOutcome = (): Outcome | null => scopes.getStore()?.outcome ?? null;

/** The deadline of a wait that begins now; `limitMs` is for one without a request, null for ever. */
export function currentDeadline(limitMs: number | null): Deadline | null {
  const scope = scopes.getStore();
  if (scope?.deadline) return scope.deadline;
  const ownMs = scope?.limitMs ?? limitMs;
  return ownMs === null ? null : new Deadline(ownMs, scope?.request);
}

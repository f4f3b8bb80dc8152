import type { Socket } from 'node:net';
import pg from 'pg';
import { cancelStatement } from './cancel.ts';
import { currentDeadline, currentOutcome, Deadline, type Waiting } from './deadline.ts';

/** What node-postgres does not type. */
type Guts = Parameters<typeof cancelStatement>[0] & { getStartupConf(): Record<string, string> };

export type SessionConfig = pg.ClientConfig & {
  /** How long a statement may take that no request waits for, in milliseconds; left out, for ever. */
  statementLimitMs?: number;
  /** Finds out when the connection is dead though nobody has closed it. */
  watch?: { add(session: Session): void };
};

/** As node-postgres types rows unless told. */
export type AnyRow = pg.QueryResultRow[string];

/** How long the end of a transaction that failed may take, in milliseconds. */
const endMs = 5_000;

/** Statements after which nothing is stored that was not before. */
const harmless = /^\s*(?:SELECT|BEGIN|ROLLBACK|SAVEPOINT|RELEASE|SET|SHOW|DEALLOCATE|VALUES|EXPLAIN)\b/i;
const commonTable = /^\s*WITH\b/i;
const writing = /\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO)\b/;

/** Whether a statement may write. */
export const mayWrite = (text: string): boolean =>
  !harmless.test(text) && (!commonTable.test(text) || writing.test(text));

export const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text ?? '');

/**
 * A connection in UTC, whatever the server's own time zone is, whose statements wait no longer than the deadline of the
 * request allows. One that has to be given up takes the connection with it, since its answer may still come.
 */
export class Session extends pg.Client {
  readonly #limitMs: number | null;
  readonly #isEmbedded: boolean;
  #openedAt = performance.now();
  #underWay = 0;

  constructor(config: SessionConfig = {}) {
    super(config);
    this.#limitMs = config.statementLimitMs ?? null;
    this.#isEmbedded = config.stream !== undefined;
    this.once('connect', () => {
      this.#openedAt = performance.now();
      config.watch?.add(this);
    });
  }

  /** The zone is a parameter of its own and not one of `options`, which PgBouncer refuses; it keeps that of each client. */
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as Guts;
    return { ...getStartupConf.call(this as unknown as Guts), TimeZone: 'UTC' };
  }

  override query<Row extends pg.QueryResultRow = AnyRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /** The other forms of node-postgres. */
  override query(...args: unknown[]): never;
  override query(...args: unknown[]): never {
    const done = args.at(-1);
    const text = textOf(args[0]);
    const deadline = isEnd(text) ? new Deadline(endMs) : currentDeadline(this.#limitMs);
    const waiting: Waiting = { giveUp: (error) => this.abandon(error) };
    try {
      deadline?.begin(waiting);
    } catch (error) {
      if (typeof done !== 'function') return Promise.reject(error) as never;
      return process.nextTick(done, error) as never;
    }
    const outcome = this.#isFinal(text) ? currentOutcome() : null;
    this.#underWay += 1;
    const settle = (error: unknown) => {
      this.#underWay -= 1;
      deadline?.end(waiting);
      if (outcome && !isRefusal(error)) outcome.uncertain = true;
    };
    const send = super.query as (...args: unknown[]) => unknown;
    if (typeof done === 'function') {
      const settled = (error: unknown, result: unknown) => {
        settle(error);
        done(error, result);
      };
      return send.call(this, ...args.slice(0, -1), settled) as never;
    }
    const answer = send.call(this, ...args);
    if (answer instanceof Promise) answer.then(() => settle(null), settle);
    else settle(null);
    return answer as never;
  }

  /** Whether a statement waits for its answer. */
  get isWaiting(): boolean {
    return this.#underWay > 0;
  }

  /** Bytes that have come. */
  get bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  /** The number of the server's process for it. */
  get pid(): number | null {
    return (this as unknown as Guts).processID;
  }

  /** How long it has been open, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#openedAt;
  }

  /** Whether a statement stores something for good when it succeeds. */
  #isFinal(text: string): boolean {
    return this.getTransactionStatus() === 'T' ? /\bCOMMIT$/.test(text) : mayWrite(text);
  }

  /** What is under way on it fails with `error`, and the server is asked to end it too. */
  abandon(error: Error): void {
    if (!this.#isEmbedded) cancelStatement(this as unknown as Guts);
    this.connection.stream.destroy(error);
  }
}

/** The end of a transaction that failed is sent whatever time is left: else its connection would be lost. */
const isEnd = (text: string): boolean => text === 'ROLLBACK';

/** Whether the server has said that nothing came of a statement, other than by going away. */
const isRefusal = (error: unknown): boolean => {
  const { severity, code } = (error ?? {}) as { severity?: string; code?: string };
  return severity !== undefined && !/^(?:08|57P)/.test(code ?? '');
};

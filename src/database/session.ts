import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { errorTypeOf, type Span, type SpanDescription, startChildSpan } from '../core/tracing.ts';
import { currentDeadline, currentOutcome, Deadline, type Wait } from './deadline.ts';

/** Members that node-postgres's types omit. */
type SessionInternals = Parameters<typeof cancelStatement>[0] & {
  readyForQuery: boolean;
  getStartupConf(): Record<string, string>;
};

export type SessionConfig = pg.ClientConfig & {
  /** Time limit for statements outside of a request, in milliseconds; none if omitted. */
  statementLimitMs?: number;
  /** Settings that it begins with, beside those that every connection has. */
  startup?: Record<string, string>;
  /** Detects that the connection is dead although neither side has closed it. */
  watch?: { add(session: Session): void };
  /** Decides which server a new connection leads to. */
  servers?: { current: string; add(session: Session): void };
};

/** node-postgres's default row type. */
export type AnyRow = pg.QueryResultRow[string];

/** Time limit for rolling a transaction back, in milliseconds. */
const endMs = 5_000;

/** Statements that store nothing. */
const harmless = /^\s*(?:SELECT|BEGIN|ROLLBACK|SAVEPOINT|RELEASE|SET|SHOW|DEALLOCATE|VALUES|EXPLAIN)\b/i;
const commonTable = /^\s*WITH\b/i;
const writing = /\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO)\b/;

/** Whether a statement may write. */
export const mayWrite = (text: string): boolean =>
  !harmless.test(text) && (!commonTable.test(text) || writing.test(text));

export const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text ?? '');

/** The parameters of a statement, in either of node-postgres's signatures. */
function valuesOf([query, values]: unknown[]): unknown[] {
  const given = Array.isArray(values) ? values : (query as { values?: unknown }).values;
  return Array.isArray(given) ? given : [];
}

/**
 * A connection in UTC, whatever the server's time zone, whose statements observe the request's deadline. A statement
 * that times out takes the connection with it, since its result may still arrive.
 */
export class Session extends pg.Client {
  readonly #limitMs: number | null;
  readonly #isEmbedded: boolean;
  readonly #startup: Record<string, string>;
  #openedAt = performance.now();
  #underWay = 0;

  constructor(config: SessionConfig = {}) {
    super(config.servers ? { ...config, connectionString: config.servers.current } : config);
    this.#limitMs = config.statementLimitMs ?? null;
    this.#isEmbedded = config.stream !== undefined;
    this.#startup = config.startup ?? {};
    // node-postgres leaves a connection open whose login it could not complete: the process would not end.
    this.connection.on('error', () => this.connection.stream.destroy());
    this.once('connect', () => {
      this.#openedAt = performance.now();
      config.watch?.add(this);
      config.servers?.add(this);
    });
  }

  /**
   * What the server's, the database's or the role's settings would change of values and texts. These are startup
   * parameters of their own, not part of `options`, which PgBouncer rejects; it tracks them per client.
   */
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as SessionInternals;
    return {
      ...getStartupConf.call(this as unknown as SessionInternals),
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      standard_conforming_strings: 'on',
      ...this.#startup,
    };
  }

  override query<Row extends pg.QueryResultRow = AnyRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /** node-postgres's other signatures. */
  override query(...args: unknown[]): never;
  override query(...args: unknown[]): never {
    const done = args.at(-1);
    const text = textOf(args[0]);
    const deadline = isEnd(text) ? new Deadline(endMs) : currentDeadline(this.#limitMs);
    const wait: Wait = { abort: (error) => this.abandon(error) };
    try {
      deadline?.begin(wait);
    } catch (error) {
      if (typeof done !== 'function') return Promise.reject(error) as never;
      return process.nextTick(done, error) as never;
    }
    const sender = currentOutcome();
    if (sender) sender.statements += 1;
    sender?.sent?.push({ text, values: valuesOf(args) });
    const outcome = this.#isFinal(text) ? sender : null;
    this.#underWay += 1;
    const span = startChildSpan(() => describeStatement(text, this.#isEmbedded ? null : this));
    const settle = (error: unknown) => {
      if (span) endStatement(span, error);
      this.#underWay -= 1;
      deadline?.end(wait);
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

  /** Whether a statement is in flight. */
  get isWaiting(): boolean {
    return this.#underWay > 0;
  }

  /** Bytes received so far. */
  get bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  /** The process id of the server's backend. */
  get pid(): number | null {
    return (this as unknown as SessionInternals).processID;
  }

  /** How long the connection has been open, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#openedAt;
  }

  /**
   * Calls `done` once the server is ready for another statement, or the connection is closed. A statement that fails is
   * rejected before the server says whether its transaction goes on: only then is `getTransactionStatus` current.
   */
  whenReady(done: () => void): void {
    const isReady = (this as unknown as SessionInternals).readyForQuery;
    if (isReady || this.connection.stream.destroyed) return done();
    const limit = new Deadline(endMs);
    const wait: Wait = { abort: (error) => this.abandon(error) };
    const settle = () => {
      limit.end(wait);
      this.off('drain', settle).off('end', settle);
      done();
    };
    limit.begin(wait);
    this.on('drain', settle).on('end', settle);
  }

  /** Whether a statement makes writes permanent when it succeeds: a COMMIT, or a write outside of a transaction. */
  #isFinal(text: string): boolean {
    return this.getTransactionStatus() === 'T' ? /\bCOMMIT$/.test(text) : mayWrite(text);
  }

  /** Fails the statements in flight with `error` and asks the server to cancel them. */
  abandon(error: Error): void {
    if (!this.#isEmbedded) cancelStatement(this as unknown as SessionInternals);
    this.connection.stream.destroy(error);
  }
}

/** A ROLLBACK is sent even when no time is left: otherwise the connection would be lost. */
const isEnd = (text: string): boolean => text === 'ROLLBACK';

/** Whether the server itself reported the failure, so nothing was stored; not if it shut down. */
const isRefusal = (error: unknown): boolean => {
  const { severity, code } = (error ?? {}) as { severity?: string; code?: string };
  return severity !== undefined && !/^(?:08|57P)/.test(code ?? '');
};

/** Timeout of the cancel request, in milliseconds. */
const cancelTimeoutMs = 5_000;
const cancelRequest = 80_877_102;

/** A session's server and the backend process that serves it there. */
type Backend = { host: string; port: number; processID: number | null; secretKey: number | null };

/**
 * Sends a CancelRequest for the session's current statement over a new connection, without TLS, which PostgreSQL
 * accepts. If it gets lost, the server's own timeouts end the statement.
 */
function cancelStatement({ host, port, processID, secretKey }: Backend): void {
  if (processID === null || secretKey === null) return;
  const packet = Buffer.alloc(16);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(cancelRequest, 4);
  packet.writeInt32BE(processID, 8);
  packet.writeInt32BE(secretKey, 12);
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.setTimeout(cancelTimeoutMs, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(packet);
}

/** Where a connection leads; null for the embedded database. */
type Server = { host: string; port: number; database?: string | undefined } | null;

const verbs = /\b(?:INSERT INTO|DELETE FROM|MERGE INTO|UPDATE)\b/;
/** Tables have quoted names that begin with a capital, unlike the aliases of compiled queries. */
const table = /\b(?:FROM|INTO|UPDATE)\s+(?:ONLY\s+)?(?:"?\w+"?\.)?"([A-Z]\w*)"/;

/**
 * Describes the span of a statement by its verb and first table. The text is left out, as compiled queries are long,
 * and so are its values.
 */
function describeStatement(text: string, server: Server): SpanDescription {
  const [first = ''] = /^\s*(\w+)/.exec(text)?.slice(1) ?? [];
  const verb = first.toUpperCase();
  const operation = verb === 'WITH' ? (verbs.exec(text)?.[0].split(' ')[0] ?? 'SELECT') : verb;
  const collection = table.exec(text)?.[1];
  return {
    name: collection ? `${operation} ${collection}` : operation || 'query',
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.collection.name': collection,
      'db.namespace': server?.database,
      'server.address': server?.host,
      'server.port': server?.port,
    },
  };
}

/** Ends the span of a statement. The error's message is left out, since it may quote values. */
function endStatement(span: Span, error: unknown): void {
  if (error) {
    const { severity, code } = error as { severity?: string; code?: string };
    // Only the server's own errors have a severity; their code is the SQLSTATE.
    if (severity !== undefined) span.set({ 'db.response.status_code': code });
    span.fail(errorTypeOf(error));
  }
  span.end();
}

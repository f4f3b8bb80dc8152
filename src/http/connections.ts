import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * Limits on what clients leave unread: for how long, and how many bytes in total. Above `bytes`, connections that have
 * stalled for `stallMs` may be cut.
 */
export type ReadingAllowance = { idleMs: number; bytes: number; stallMs: number; lingerMs: number };
export const defaultReadingAllowance: ReadingAllowance = {
  idleMs: 60_000,
  bytes: 128_000_000,
  stallMs: 5_000,
  lingerMs: 10_000,
};

type Options = {
  allowance?: Partial<ReadingAllowance>;
  log?: Pick<Logger, 'info'> | undefined;
  /** Resolves after the connections that another process has accepted for this one, and sent, have arrived. */
  handOver?: (() => Promise<unknown>) | null;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
};

/**
 * A connection, its responses in flight, the time since which the client has read nothing of what is pending, when its
 * last response ended, and whether the connection is to end after it.
 */
type Connection = {
  socket: Socket;
  responses: Set<ServerResponse>;
  progress: string;
  since: number;
  unread: number;
  respondedAt: number;
  isEnding: boolean;
};

/**
 * The connections of a server. A client that reads nothing of what it is sent is disconnected; so are the longest
 * stalled ones when all clients together leave too much unread. Slow readers are left alone. The work a client asked
 * for goes on without it.
 */
export class Connections {
  readonly #allowance: ReadingAllowance;
  readonly #log: Options['log'];
  readonly #handOver: (() => Promise<unknown>) | null;
  readonly #now: () => number;
  readonly #open = new Map<Socket, Connection>();
  #closing = false;
  #draining = false;

  constructor({ allowance, log, handOver = null, now = () => performance.now() }: Options = {}) {
    this.#handOver = handOver;
    this.#allowance = { ...defaultReadingAllowance, ...allowance };
    this.#log = log;
    this.#now = now;
  }

  get count(): number {
    return this.#open.size;
  }

  /** How many event streams are open. */
  get streams(): number {
    let count = 0;
    for (const { responses } of this.#open.values()) for (const response of responses) if (isStream(response)) count++;
    return count;
  }

  /** Tracks a connection until it closes. */
  add(socket: Socket): void {
    const now = this.#now();
    const state = { progress: '', since: now, unread: 0, respondedAt: now, isEnding: false };
    this.#open.set(socket, { socket, responses: new Set(), ...state });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Tracks a response in flight. */
  begin(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    const { responses } = connection;
    responses.add(response);
    if (this.#closing) response.setHeader('Connection', 'close');
    response.once('close', () => {
      responses.delete(response);
      connection.respondedAt = this.#now();
      // A client that was not warned may have sent its next request: a connection that drains waits for it.
      if (this.#closing && !this.#draining) endSoon(connection);
    });
  }

  /**
   * To be called every second: disconnects clients that do not read. Those of which a body `isDropped` may read their
   * response after it. Returns how many bytes the others have yet to read.
   */
  check(isDropped: (socket: Socket) => boolean = () => false): number {
    const time = this.#now();
    const { idleMs, bytes, stallMs, lingerMs } = this.#allowance;
    const waiting = [...this.#open.values()].filter((connection) => this.#isWaiting(connection, time, isDropped));
    const stalled = ({ since }: Connection) => time - since;
    const timeoutOf = ({ socket }: Connection) => (socket.writableEnded ? lingerMs : idleMs);
    let unread = waiting.reduce((sum, connection) => sum + connection.unread, 0);
    for (const connection of waiting.sort((one, other) => one.since - other.since)) {
      const isIdle = stalled(connection) >= timeoutOf(connection);
      if (!isIdle && (unread <= bytes || stalled(connection) < stallMs)) continue;
      unread -= connection.unread;
      this.#cut(connection, stalled(connection));
    }
    return unread;
  }

  /** Whether anything is pending for the client, or its end of the connection is still open; updates `since`. */
  #isWaiting(connection: Connection, time: number, isDropped: (socket: Socket) => boolean): boolean {
    const { socket, responses } = connection;
    connection.unread = socket.writableLength;
    // A pipelined response whose turn has not come has no socket yet, and buffers by itself.
    for (const response of responses) if (response.socket === null) connection.unread += response.writableLength;
    const progress = progressOf(socket);
    const isWaiting = connection.unread > 0 || (socket.writableEnded && !isDropped(socket));
    if (!isWaiting || progress !== connection.progress) connection.since = time;
    connection.progress = progress;
    return isWaiting;
  }

  #cut({ socket, unread }: Connection, ms: number): void {
    this.#log?.info({ unread, ms: Math.round(ms) }, 'a client that does not read was disconnected');
    // Not an orderly FIN, which the kernel would keep retrying against a client that does not read.
    socket.resetAndDestroy();
  }

  /** Tells clients to send nothing more on their connections, with responses that have not begun and those to come. */
  #announceEnd(): void {
    this.#closing = true;
    for (const { responses } of this.#open.values()) {
      for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  /**
   * Lets the clients go to another process: accepts the connections that wait and no new one, and closes each after its
   * next response, or when it is idle for `idleMs`. Resolves once none is left, or after `maxMs` milliseconds.
   */
  async drain(server: Server, maxMs: number, idleMs = idleDrainMs): Promise<void> {
    const since = this.#now();
    this.#draining = true;
    this.#announceEnd();
    await this.#stopListening(server);
    while (this.#open.size > 0 && this.#now() - since < maxMs) {
      await sleep(drainCheckMs);
      // What arrived while other things were done is read first.
      await nextRound();
      const idleSince = this.#now() - idleMs;
      if (since > idleSince) continue;
      for (const connection of this.#open.values()) if (connection.respondedAt <= idleSince) endSoon(connection);
    }
  }

  /**
   * Accepts the connections that wait, and stops listening. The kernel resets those that wait at that moment, although
   * their clients believe that they are connected and may have sent a request. Each round of the event loop accepts
   * one, and so does each request to the process that hands them over, so their requests are read only afterwards. What
   * arrives between the last round and the close is still reset: within a fraction of a millisecond, unless all rounds
   * are long.
   */
  async #stopListening(server: Server): Promise<void> {
    const accepted: Socket[] = [];
    server.on('connection', (socket) => void accepted.push(socket));
    Object.assign(server, { pauseOnConnect: true });
    // The round that has begun may have looked for connections long ago.
    await nextRound();
    const until = this.#now() + acceptMs;
    for (let since = this.#now(), isQuiet = false; !isQuiet && since < until; ) {
      const { length } = accepted;
      await this.#handOver?.().catch(() => {});
      await nextRound();
      const now = this.#now();
      isQuiet = accepted.length === length && (this.#handOver !== null || now - since < quietRoundMs);
      since = now;
    }
    // Not http's own `close`, which closes idle connections at once, some with a request on its way.
    NetServer.prototype.close.call(server);
    for (const socket of accepted) socket.resume();
  }

  /**
   * Closes `server`: accepts no new work, lets requests in flight finish, and cuts whatever is left after `graceMs`
   * milliseconds. Node's own `close` waits for connections that never sent a request, and keeps idle ones open for the
   * keep-alive time.
   */
  async close(server: Server, graceMs: number): Promise<void> {
    this.#draining = false;
    this.#announceEnd();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of this.#open.values()) endSoon(connection);
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(force);
  }
}

/**
 * How long an idle connection may stay open while a server drains, in milliseconds: busy clients use theirs by then.
 */
const idleDrainMs = 5_000;
const drainCheckMs = 100;
/** How long connections that wait may be accepted before a server stops listening, in milliseconds. */
const acceptMs = 500;
/**
 * A round of the event loop that accepts nothing and takes no longer has found no connection waiting, in milliseconds.
 */
const quietRoundMs = 0.2;

/** How long the rest of a body may come when its connection is to end, in milliseconds. */
const endingMs = 500;

/** Ends a connection that has no response in flight, once the last one is sent. */
function endSoon(connection: Connection): void {
  const { socket, responses, isEnding } = connection;
  if (responses.size > 0 || isEnding) return;
  connection.isEnding = true;
  socket.destroySoon();
  // The rest of an answered body would hold it open for longer.
  const limit = () => setTimeout(() => socket.destroy(), endingMs).unref();
  if (socket.writableFinished) limit();
  else socket.once('finish', limit);
}

/** Resolves once everything that has arrived was read. */
const nextRound = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads the header as it was sent: what is passed to `writeHead` is not kept for `getHeader`. */
const isStream = (response: ServerResponse): boolean =>
  /^content-type: *(text\/event-stream|multipart\/mixed)/im.test(
    (response as { _header?: string | null })._header ?? '',
  );

/**
 * Changes whenever the kernel has accepted data: whole chunks and, within a large chunk, what libuv's write queue
 * reports.
 */
function progressOf(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`;
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** How long what was sent may lie unread, and of how many bytes in all; what stands still for `stallMs` may be cut for these. */
export type ReadingAllowance = { idleMs: number; bytes: number; stallMs: number; lingerMs: number };
export const usualReading: ReadingAllowance = { idleMs: 60_000, bytes: 128_000_000, stallMs: 5_000, lingerMs: 10_000 };

type Options = {
  allowance?: Partial<ReadingAllowance>;
  log?: Pick<Logger, 'info'> | undefined;
  /** Milliseconds on a clock that only goes forward. */
  now?: () => number;
};

/** A connection, the responses under way on it, and since when nothing was taken of what waits there. */
type Connection = { socket: Socket; responses: Set<ServerResponse>; taken: string; since: number; unread: number };

/**
 * The connections of a server. A client that takes nothing of what it is sent is disconnected, and so are the worst of them
 * when all together leave too much unread; one that reads slowly is not. What was asked for goes on without its reader.
 */
export class Connections {
  readonly #allowance: ReadingAllowance;
  readonly #log: Options['log'];
  readonly #now: () => number;
  readonly #open = new Map<Socket, Connection>();
  #closing = false;

  constructor({ allowance, log, now = () => performance.now() }: Options = {}) {
    this.#allowance = { ...usualReading, ...allowance };
    this.#log = log;
    this.#now = now;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Looks to a connection until it is closed. */
  add(socket: Socket): void {
    this.#open.set(socket, { socket, responses: new Set(), taken: '', since: this.#now(), unread: 0 });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Looks to a response that is under way. */
  begin(socket: Socket, response: ServerResponse): void {
    const responses = this.#open.get(socket)?.responses;
    if (!responses) return;
    responses.add(response);
    if (this.#closing) response.setHeader('Connection', 'close');
    response.once('close', () => {
      responses.delete(response);
      if (this.#closing && responses.size === 0) socket.destroySoon();
    });
  }

  /** To be called each second: cuts off those that do not read. Answers the bytes that the others have not read yet. */
  check(): number {
    const time = this.#now();
    const { idleMs, bytes, stallMs, lingerMs } = this.#allowance;
    const waiting = [...this.#open.values()].filter((connection) => this.#look(connection, time));
    const stalled = ({ since }: Connection) => time - since;
    const patience = ({ socket }: Connection) => (socket.writableEnded ? lingerMs : idleMs);
    let unread = waiting.reduce((sum, connection) => sum + connection.unread, 0);
    for (const connection of waiting.sort((one, other) => one.since - other.since)) {
      const isIdle = stalled(connection) >= patience(connection);
      if (!isIdle && (unread <= bytes || stalled(connection) < stallMs)) continue;
      unread -= connection.unread;
      this.#cut(connection, stalled(connection));
    }
    return unread;
  }

  /** Whether something waits for the client, or for its end of the connection; notes since when it has taken nothing. */
  #look(connection: Connection, time: number): boolean {
    const { socket, responses } = connection;
    connection.unread = socket.writableLength;
    // What is answered out of turn waits with its response.
    for (const response of responses) if (response.socket === null) connection.unread += response.writableLength;
    const taken = takenOf(socket);
    const isWaiting = connection.unread > 0 || socket.writableEnded;
    if (!isWaiting || taken !== connection.taken) connection.since = time;
    connection.taken = taken;
    return isWaiting;
  }

  #cut({ socket, unread }: Connection, ms: number): void {
    this.#log?.info({ unread, ms: Math.round(ms) }, 'a client that does not read was disconnected');
    // Not by an orderly end, which the system would go on offering to a client that does not take it.
    socket.resetAndDestroy();
  }

  /**
   * Ends `server`: takes no new work, lets what is in flight finish, and cuts what is left after `graceMs` milliseconds. Node's
   * own `close` waits for connections that never sent a request and keeps answered ones for the keep-alive time.
   */
  async close(server: Server, graceMs: number): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const { socket, responses } of this.#open.values()) if (responses.size === 0) socket.destroySoon();
    const force = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(force);
  }
}

/** Another one when the system has taken something: whole pieces, and of a large piece what its own queue tells. */
function takenOf(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`;
}

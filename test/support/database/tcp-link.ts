import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can fail: it forwards connections on `port` to the target. */
export type TcpLink = {
  port: number;
  /** The target of new connections. */
  target: number;
  /** Stops all traffic on existing connections without closing them, as when a machine disappears. */
  silence(): void;
  /** Whether new connections are silent too. */
  silent: boolean;
  /** If set, what a PostgreSQL server sends after an ErrorResponse is passed on only once this resolves. */
  afterError: Promise<void> | null;
  /** How often it was held back. */
  held: number;
  /** Closes the existing connections. */
  cut(): void;
  close(): Promise<void>;
};

export async function openTcpLink(target: number): Promise<TcpLink> {
  const pairs = new Set<[Socket, Socket]>();
  const mute = (pair: [Socket, Socket]) => {
    for (const socket of pair) socket.removeAllListeners('data').removeAllListeners('end').pause();
  };
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect({ port: link.target, host: '127.0.0.1', allowHalfOpen: true });
    const pair: [Socket, Socket] = [from, to];
    pairs.add(pair);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.setNoDelay(true);
      const lengthUntilError = one === to ? errorFinder() : () => null;
      one.on('data', (chunk) => {
        const length = lengthUntilError(chunk);
        if (length === null || !link.afterError) {
          if (!other.write(chunk)) one.pause();
          return;
        }
        other.write(chunk.subarray(0, length));
        one.pause();
        link.held += 1;
        const passOn = () => {
          other.write(chunk.subarray(length));
          one.resume();
        };
        link.afterError.then(passOn, passOn);
      });
      other.on('drain', () => one.resume());
      one.on('end', () => other.end());
      one.on('error', () => {});
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
    if (link.silent) mute(pair);
  });
  const link: TcpLink = {
    port: 0,
    target,
    silent: false,
    afterError: null,
    held: 0,
    silence() {
      for (const pair of pairs) {
        for (const socket of pair) socket.removeAllListeners('drain');
        mute(pair);
      }
    },
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
    async close() {
      link.cut();
      server.close();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  link.port = (server.address() as AddressInfo).port;
  return link;
}

/** Follows a server's messages; returns where in a chunk an ErrorResponse ends, null if none does. */
function errorFinder(): (chunk: Buffer) => number | null {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const before = rest.length;
    const bytes = Buffer.concat([rest, chunk]);
    let found: number | null = null;
    let start = 0;
    // A message is its type, then its length, which counts itself.
    while (bytes.length >= start + 5 && bytes.length >= start + 1 + bytes.readInt32BE(start + 1)) {
      const end = start + 1 + bytes.readInt32BE(start + 1);
      if (bytes[start] === 'E'.charCodeAt(0)) found ??= end - before;
      start = end;
    }
    rest = bytes.subarray(start);
    return found;
  };
}

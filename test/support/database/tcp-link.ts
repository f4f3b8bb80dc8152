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
      one.on('data', (chunk) => {
        if (!other.write(chunk)) one.pause();
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

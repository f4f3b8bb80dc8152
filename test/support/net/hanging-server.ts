import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** How a server keeps its caller waiting: `head` and `body` send a byte of these at each `drip`, `endless` pours. */
export const hangs = ['silent', 'head', 'body', 'endless'] as const;
export type Hang = (typeof hangs)[number];

/** A server that accepts every connection and never finishes a response. `type`: the media type that it declares. */
export async function startHangingServer(hang: Hang, type = 'application/json') {
  const sockets = new Set<Socket>();
  let accepted = 0;
  let wake = () => {};
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n`;
  const begin = (socket: Socket) => {
    accepted++;
    wake();
    if (hang === 'silent') return;
    if (hang === 'head') return void socket.write(`${head}x-slow: `);
    socket.write(`${head}\r\n\n`);
    if (hang !== 'endless') return;
    const pour = setInterval(() => socket.write('\n'.repeat(1_000)), 5);
    socket.once('close', () => clearInterval(pour));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () => begin(socket));
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      wake();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo())
      await new Promise<void>((next) => {
        wake = next;
      });
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted: () => accepted,
    /** Resolves once that many requests have come. */
    asked: (count = 1) => until(() => accepted >= count),
    drip() {
      if (hang === 'head' || hang === 'body')
        for (const socket of sockets) socket.write('\n'.repeat(Number(hang === 'body')) || 'a');
    },
    /** Resolves once every caller has closed its connection. */
    left: () => until(() => sockets.size === 0),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

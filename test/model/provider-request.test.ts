import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { providerRequest } from '../../src/model/providers/provider-request.ts';
import { useProxy } from '../../src/net/proxy.ts';
import { cert, key } from '../support/net/self-signed-server.ts';

/** Starts a server on loopback, and returns its port. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const post = { method: 'POST' as const, headers: {}, body: '{}' };

const silent: [string, (port: number) => string][] = [
  ['a server that does not finish the handshake of TLS', (port) => `https://127.0.0.1:${port}`],
  [
    'a proxy that opens no tunnel',
    (port) => {
      onTestFinished(useProxy({ http: `http://127.0.0.1:${port}`, https: null, none: '' }));
      return 'http://model.example';
    },
  ],
];
test.each(silent)('a request that is stopped ends with the reason, also while it waits for %s', async (_, urlAt) => {
  const server = createServer();
  const url = urlAt(await listen(server));
  const stop = new AbortController();
  server.once('connection', () => stop.abort(new Error('stopped')));
  await expect(providerRequest(url, { ...post, signal: stop.signal })).rejects.toThrow('stopped');
});

test('replies do not share a connection, though the server would speak HTTP/2', async () => {
  const trusted = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  onTestFinished(() => {
    if (trusted === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trusted;
  });
  const ports = new Set<number | undefined>();
  const both = Promise.withResolvers<void>();
  const server = createSecureServer({ key, cert, allowHTTP1: true }, ({ httpVersion, socket }, response) => {
    ports.add(socket.remotePort);
    if (ports.size === 2) both.resolve();
    void both.promise.then(() => response.end(httpVersion));
  });
  const url = `https://127.0.0.1:${await listen(server)}`;
  const replies = [1, 2].map(async () => (await providerRequest(url, post)).text());
  expect(await Promise.all(replies)).toEqual(['1.1', '1.1']);
});

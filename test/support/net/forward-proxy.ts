import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/**
 * A proxy as companies have them: CONNECT for tunnels, and whole addresses for http. Every host leads to `target`, as
 * if names resolved there. `asked` has what it was asked for.
 */
export async function startForwardProxy(target: () => number) {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    asked.push(`${request.method} ${url.host}`);
    credentials.push(request.headers['proxy-authorization']);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const forward = async () => {
      const headers = Object.entries(request.headers).filter(
        ([name]) => !/^(host|connection|proxy-.*|content-length|transfer-encoding)$/.test(name),
      );
      const answer = await fetch(`http://127.0.0.1:${target()}${url.pathname}`, {
        method: request.method ?? 'GET',
        redirect: 'manual',
        headers: headers as [string, string][],
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const { 'content-type': type = '', location } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, { 'content-type': type, ...(location && { location }) });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    request.on('end', () => void forward());
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    credentials.push(request.headers['proxy-authorization']);
    const upstream = connect(target(), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    for (const one of [socket, upstream]) one.on('error', () => one.destroy());
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    asked,
    credentials,
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Text = { type: string; text: string };

/** Serves what `read` returns at one path, and 404 anywhere else. Rejects if the address cannot be bound. */
export async function serveText(
  { host, port }: { host: string; port: number },
  path: string,
  read: () => Promise<Text>,
) {
  const server = createServer(async (request, response) => {
    const respond = (status: number, { type, text }: Text) =>
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
    const plain = (status: number, text: string) => respond(status, { type: 'text/plain; charset=utf-8', text });
    const [asked] = (request.url ?? '').split('?', 1);
    if (asked !== path) return plain(404, `Metrics are at ${path}.\n`);
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Only GET is allowed.\n');
    try {
      respond(200, await read());
    } catch {
      plain(500, 'The metrics could not be read.\n');
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}${path}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

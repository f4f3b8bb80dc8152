import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostFault, isRebound } from '../core/host-header.ts';

type Text = { type: string; text: string };

/**
 * Serves what `read` returns at one path, and 404 anywhere else; 403 for a page that was rebound to this machine.
 * Rejects if the address cannot be bound.
 */
export async function serveText(
  { host, port }: { host: string; port: number },
  path: string,
  read: () => Promise<Text>,
) {
  const plain = (status: number, text: string) => ({ status, type: 'text/plain; charset=utf-8', text });
  const answer = async (request: IncomingMessage) => {
    const { url = '', method } = request;
    const fault = hostFault(request);
    if (fault) return plain(400, `${fault}\n`);
    if (isRebound(request, host)) return plain(403, 'Name this machine as localhost or by an IP address.\n');
    if (url.split('?', 1)[0] !== path) return plain(404, `Metrics are at ${path}.\n`);
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET is allowed.\n');
    return read().then(
      (text) => ({ status: 200, ...text }),
      () => plain(500, 'The metrics could not be read.\n'),
    );
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, type, text }) =>
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text),
    );
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

import { connect } from 'node:net';

/** How long the request may take, in milliseconds. */
const giveUpMs = 5_000;
const cancelRequest = 80_877_102;

/** Where a session is: its server, and its process there. */
type Backend = { host: string; port: number; processID: number | null; secretKey: number | null };

/**
 * Asks the server to end the statement of a session, over a connection of its own. PostgreSQL takes that without TLS. Where it
 * does not come through, the server's own limits end the statement.
 */
export function cancelStatement({ host, port, processID, secretKey }: Backend): void {
  if (processID === null || secretKey === null) return;
  const packet = Buffer.alloc(16);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(cancelRequest, 4);
  packet.writeInt32BE(processID, 8);
  packet.writeInt32BE(secretKey, 12);
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.setTimeout(giveUpMs, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(packet);
}

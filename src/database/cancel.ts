import { connect } from 'node:net';

/** Timeout of the cancel request, in milliseconds. */
const timeoutMs = 5_000;
const cancelRequest = 80_877_102;

/** A session's server and the backend process that serves it there. */
type Backend = { host: string; port: number; processID: number | null; secretKey: number | null };

/**
 * Sends a CancelRequest for the session's current statement over a new connection, without TLS, which PostgreSQL
 * accepts. If it gets lost, the server's own timeouts end the statement.
 */
export function cancelStatement({ host, port, processID, secretKey }: Backend): void {
  if (processID === null || secretKey === null) return;
  const packet = Buffer.alloc(16);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(cancelRequest, 4);
  packet.writeInt32BE(processID, 8);
  packet.writeInt32BE(secretKey, 12);
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(packet);
}

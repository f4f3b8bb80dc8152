import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type StatementCounter = {
  /** The URL of the database, through the counter. */
  url: string;
  /** Returns how many statements were executed since it was opened. */
  count: () => number;
  close: () => Promise<void>;
};

const HEADER = 5;
const STARTUP_HEADER = 4;
const QUERY = 0x51;
const EXECUTE = 0x45;

/** A proxy between a contender and PostgreSQL that counts the wire protocol's Query and Execute messages. */
export async function openStatementCounter(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const read = reader((type) => {
      if (type === QUERY || type === EXECUTE) count++;
    });
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.end());
    }
    client.on('data', (chunk: Buffer) => {
      read(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => client.write(chunk));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    count: () => count,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls `found` with the type of each complete message. A connection's first message has no type. */
function reader(found: (type: number) => void): (chunk: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    for (;;) {
      const header = started ? HEADER : STARTUP_HEADER;
      if (unread.length < header) return;
      const size = unread.readUInt32BE(header - STARTUP_HEADER) + header - STARTUP_HEADER;
      if (unread.length < size) return;
      if (started) found(unread[0] as number);
      started = true;
      unread = unread.subarray(size);
    }
  };
}

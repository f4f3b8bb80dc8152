import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response of the gateway, whether or not the caller received it. */
export type RecordedReply = { status: number; type: string; text: string };

/** A proxy that forwards each request, reads the whole response, and closes the connection instead. */
export type ReplyCutter = {
  url: string;
  /** The responses that were not delivered, by the `x-request-id` of their requests. */
  replies: Map<string, RecordedReply>;
  close(): Promise<void>;
};

export async function openReplyCutter(target: string): Promise<ReplyCutter> {
  const replies: ReplyCutter['replies'] = new Map();
  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const keep = async (answer: IncomingMessage) => {
      const { statusCode: status = 0, headers: replied } = answer;
      const text = await textOf(answer);
      replies.set(String(headers['x-request-id']), { status, type: replied['content-type'] ?? '', text });
      response.destroy();
    };
    const options = { method, headers, agent: false };
    const passed = send(new URL(url ?? '/', target), options, (answer) => void keep(answer));
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    replies,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A model's next response: it speaks, then ends, falls silent, breaks the connection or fails; it calls tools; it
 * fails before a word; or it never answers.
 */
export type Scripted =
  | { say: string[]; after?: 'silence' | 'cut' | 'failure' | 'length' }
  | { call: { id: string; name: string; input: object } }
  | { status: number; headers?: Record<string, string> }
  | { silent: true };

type Asked = { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> };

/** A provider's HTTP protocol. */
export type Protocol = {
  /** Why the real provider would refuse the request with 400 or 401; null if it would accept it. */
  refusal(asked: Asked): { status: number; message: string } | null;
  error(status: number, message: string): object;
  isStreamed(asked: Asked): boolean;
  whole(said: string, call: { id: string; name: string; input: object } | null, cutOff?: boolean): object;
  /** The events of a stream: the start, one per word, the end, and a failure in the middle. */
  begin: object[];
  word(text: string): object[];
  call(call: { id: string; name: string; input: object }): object[];
  end(called: boolean, cutOff?: boolean): object[];
  failure: object;
  /** Whether events also carry their type as the event name. */
  named: boolean;
};

/** A server with a provider's protocol, scripted by the test. */
export async function startModelServer(protocol: Protocol) {
  const requests: Asked[] = [];
  const script: Scripted[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const asked = { path: request.url ?? '', headers: request.headers, body };
      requests.push(asked);
      const refused = protocol.refusal(asked);
      if (refused) send(response, refused.status, protocol.error(refused.status, refused.message));
      else perform(protocol, asked, response, script.shift() ?? { say: ['Nothing', ' was', ' scripted.'] });
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    next: (...answers: Scripted[]) => void script.push(...answers),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function perform(protocol: Protocol, asked: Asked, response: ServerResponse, scripted: Scripted): void {
  if ('silent' in scripted) return;
  if ('status' in scripted) {
    return send(response, scripted.status, protocol.error(scripted.status, 'refused by the test'), scripted.headers);
  }
  const call = 'call' in scripted ? scripted.call : null;
  const words = 'say' in scripted ? scripted.say : [];
  const after = 'say' in scripted ? scripted.after : undefined;
  if (!protocol.isStreamed(asked)) return send(response, 200, protocol.whole(words.join(''), call, after === 'length'));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (events: object[]) => {
    for (const event of events) {
      const name = protocol.named ? `event: ${(event as { type: string }).type}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
  };
  write(protocol.begin);
  write(call ? protocol.call(call) : words.flatMap(protocol.word));
  if (after === 'silence') return;
  // Flush what was written before the connection breaks.
  if (after === 'cut') return void setTimeout(() => response.destroy(), 20);
  write(after === 'failure' ? [protocol.failure] : protocol.end(call !== null, after === 'length'));
  response.end();
}

/**
 * Everything between the socket and compiled queries, without the queries: reads a request, verifies its bearer, and
 * returns a body of `BODY` bytes with the standard headers and an access log line. With `BARE`, node:http alone reads
 * the same requests and writes the same bodies.
 */
import { createServer } from 'node:http';
import { bearerOf } from '../src/auth/bearer.ts';
import { createTokenCache } from '../src/auth/token-cache.ts';
import type { Viewer } from '../src/core/viewer.ts';
import { bufferedOutput, createLog } from '../src/http/log/request-log.ts';
import { createNodeListener } from '../src/http/node-listener.ts';
import { createPipeline, type RequestHandler } from '../src/http/pipeline.ts';

const { PORT, BARE, BODY = '2000' } = process.env;
const body = JSON.stringify({ data: 'x'.repeat(Number(BODY)) });
const viewer: Viewer = {
  workspaceId: 'wsp_1',
  role: 'owner',
  credential: 'operator',
  userId: 'usr_1',
  membershipId: 'mbr_1',
  appId: null,
};
const proofs = createTokenCache({
  verify: () => ({ expiresAt: Date.now() + 3_600_000, viewer: async () => viewer }),
  now: () => new Date(),
});

const handler: RequestHandler = async (received, notes) => {
  notes.viewer = await proofs.viewerOf(bearerOf(received));
  await received.text();
  return { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body };
};
const log = createLog('info', bufferedOutput());
const pipeline = createPipeline({ handlers: [handler], log, databaseTimeoutMs: 25_000 });
const listener = createNodeListener(pipeline, (_request, response) => response.writeHead(500).end());

createServer((request, response) => {
  if (!BARE) return void listener(request, response);
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
}).listen(Number(PORT), '127.0.0.1');

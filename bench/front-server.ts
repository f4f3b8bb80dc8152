/**
 * What stands between the socket and the lane, without the lane: a request is read, its bearer checked, its answer of
 * `BODY` bytes given the headers of every answer, and its line of the log written. With `BARE`, node:http alone reads
 * the same requests and writes the same bodies.
 */
import { createServer } from 'node:http';
import { createProofCache } from '../src/auth/proof-cache.ts';
import type { Viewer } from '../src/context.ts';
import { createFront } from '../src/http/front.ts';
import { createLog, gatheredOutput } from '../src/http/request-log.ts';
import { createShortWay, type Way } from '../src/http/short-way.ts';

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
const proofs = createProofCache({
  prove: () => ({ expiresAt: Date.now() + 3_600_000, viewer: async () => viewer }),
  now: () => new Date(),
});

const way: Way = async (asked, viewerOf) => {
  await Promise.all([asked.text(), viewerOf()]);
  return { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body };
};
const short = createShortWay({ ways: [way], verify: proofs.viewerOf, log: createLog('info', gatheredOutput()) });
const front = createFront(short, (_request, response) => response.writeHead(500).end());

createServer((request, response) => {
  if (!BARE) return void front(request, response);
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
}).listen(Number(PORT), '127.0.0.1');

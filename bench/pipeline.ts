import { type Contender, post } from './contender.ts';
import { load } from './load.ts';
import { median } from './measure.ts';
import { type Server, start } from './server.ts';

const rounds = 7;
const seconds = 2;
const token = 'x'.repeat(600);
const ask = post(
  '/graphql',
  { query: `{ agents(first: 20) { nodes { id name } } } # ${'x'.repeat(300)}` },
  { authorization: `Bearer ${token}` },
);

const contender = (name: string, env: Record<string, string>): Contender => ({
  name,
  file: 'pipeline-server.ts',
  env,
  ready: ask,
  requests: async () => [ask],
  read: (_operation, answer) => answer,
});

async function costOf(server: Server): Promise<number> {
  const before = await server.ask('read');
  const { count } = await load(server.origin, { requests: [ask], concurrency: 32, seconds });
  const after = await server.ask('read');
  return (after.cpu - before.cpu) / count;
}

/**
 * Returns a sentence about the CPU time that the gateway spends per request around compiled queries, compared with
 * node:http alone.
 */
export async function measurePipeline(folder: string): Promise<string> {
  const contenders = [contender('node:http', { BARE: '1' }), contender('pipeline', {})];
  const servers = await Promise.all(contenders.map((each) => start(each, { folder, env: {} })));
  const costs = servers.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const cost = await costOf(server);
      // The first round is a warm-up.
      if (round > 0) costs[index]?.push(cost);
    }
  }
  await Promise.all(servers.map((server) => server.stop()));
  const [bare = 0, full = 0] = costs.map(median);
  const [beyond, of, all] = [full - bare, bare, full].map((cost) => cost.toFixed(0));
  return `Bearer, limits, routing, headers and log cost ${beyond} µs of CPU a request: node:http alone takes ${of} µs to read the same
requests and write the same bodies of 2 kB, and through the gateway's pipeline ${all} µs (${rounds} rounds of ${seconds} s at 32 connections).`;
}

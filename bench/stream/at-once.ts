import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../server.ts';
import { type Model, type Pace, timesIn } from './model.ts';
import type { Target } from './transports.ts';

/** 50 tokens a second, for ten seconds. */
const pace: Pace = { thinkMs: 500, tokens: 500, gapMs: 20 };
/** From the first question until what is measured begins, and how long that is. */
const settleMs = 3_000;
const measuredMs = 4_000;
const counts = [50, 100, 200];

export const headOfAtOnce = [
  'streams at once',
  'tokens/s',
  'p50',
  'p99',
  'CPU a token',
  'of one core',
  'memory a stream',
];

/** Measures many streams at once on one gateway, and without one: what model and callers take by themselves. */
export async function measureAtOnce(model: Model, server: Server, target: Target): Promise<string[][]> {
  model.pace = pace;
  const most = counts.at(-1) ?? 0;
  const lines = [await measure(null, most, { url: `${model.url}/chat/completions`, headers: {} })];
  const url = `${server.origin}/api/${target.agentId}`;
  const headers = { authorization: `Bearer ${target.bearer}` };
  for (const streams of counts) lines.push(await measure(server, streams, { url, headers }));
  return lines;
}

type Address = { url: string; headers: Record<string, string> };

async function measure(server: Server | null, streams: number, address: Address): Promise<string[]> {
  const usedBefore = server ? await usedBy(server) : 0;
  const waits: number[] = [];
  let isMeasuring = false;
  const agent = new Agent({ keepAlive: false });
  const ended = Array.from({ length: streams }, (_, index) =>
    readTokens(address, agent, `Tell me about mark-${index}`, (wroteAt) => {
      if (isMeasuring) waits.push(performance.now() - wroteAt);
    }),
  );
  await sleep(settleMs);
  const before = await server?.ask('read');
  const since = performance.now();
  isMeasuring = true;
  await sleep(measuredMs);
  isMeasuring = false;
  const seconds = (performance.now() - since) / 1_000;
  const after = await server?.ask('read');
  const memory = server ? ((await usedBy(server)) - usedBefore) / streams : null;
  await Promise.all(ended);
  waits.sort((one, other) => one - other);
  const wait = (share: number) => `${(waits[Math.floor(share * (waits.length - 1))] ?? Number.NaN).toFixed(1)} ms`;
  const cpu = before && after ? after.cpu - before.cpu : null;
  return [
    server ? String(streams) : `${streams}, without a gateway`,
    (waits.length / seconds).toFixed(0),
    wait(0.5),
    wait(0.99),
    cpu === null ? '–' : `${(cpu / 1_000 / waits.length).toFixed(3)} ms`,
    cpu === null ? '–' : (cpu / 1e6 / seconds).toFixed(2),
    memory === null ? '–' : `${(memory / 1_000).toFixed(0)} kB`,
  ];
}

/** What a process uses in objects and buffers, in bytes, once garbage is collected. */
async function usedBy(server: Server): Promise<number> {
  const { parts = [] } = await server.ask('memory');
  const counted = ['objects and code that are in use', 'buffers'];
  return parts.reduce((sum, [what, bytes]) => sum + (counted.includes(what) ? bytes : 0), 0);
}

/** Asks a question and reads the reply to its end. `told` gets when the model wrote each token. */
function readTokens({ url, headers }: Address, agent: Agent, question: string, told: (wroteAt: number) => void) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' };
  const asking = request(url, { method: 'POST', headers: sent, agent }, (response) => {
    if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`));
    response.setEncoding('utf8');
    let rest = '';
    response.on('data', (chunk: string) => {
      const text = rest + chunk;
      for (const wroteAt of timesIn(text)) told(wroteAt);
      rest = text.slice(text.lastIndexOf('\n') + 1);
    });
    response.on('end', resolve).on('error', reject);
  });
  asking.on('error', reject).end(JSON.stringify({ message: { content: question } }));
  return promise;
}

/** `npm run bench:stream`: how long the first words of a reply take from the model to a caller. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { startEnvironment, startFlags } from '../../src/config/start-settings.ts';
import { type Contender, gatewayFile, get } from '../contender.ts';
import { printMachine, table } from '../report.ts';
import { type Server, start } from '../server.ts';
import { headOfAtOnce, measureAtOnce } from './at-once.ts';
import { type Model, type Pace, startModel } from './model.ts';
import { type StreamTiming, type Target, type Transport, transports } from './transports.ts';

const usage = `npm run bench:stream -- [flags]

  --rounds <n>     how often each way is taken (10; with 32 streams at once, each of them so often)
  --note <text>    what the reader of the results should know of the run
  --write          write the table into bench/STREAM.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where a database can be made.`;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    note: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const name = `parley_stream_${randomBytes(3).toString('hex')}`;
const concurrencies = [1, 32];
/** Long enough for a caller to leave one replica and connect to another before the model starts. */
const pace: Pace = { thinkMs: 1_500, tokens: 40, gapMs: 25 };

const gateway: Contender = {
  name: 'parley',
  file: gatewayFile,
  flags: startFlags,
  ready: get('/health'),
  requests: async () => null,
  read: (_operation, answer) => answer,
};

async function measureAll(model: Model, servers: Server[], target: Target): Promise<string[][]> {
  const lines: string[][] = [];
  for (const [title, transport] of Object.entries(transports)) {
    for (const concurrency of concurrencies) {
      await measureStretch(model, transport, target, concurrency);
      const before = await cpuOf(servers);
      const started = performance.now();
      const waits: number[] = [];
      let pieces = 0;
      for (let round = 0; round < Number(flags.rounds); round++) {
        const all = await measureStretch(model, transport, target, concurrency);
        waits.push(...all.map(({ wait }) => wait));
        pieces += all.reduce((sum, one) => sum + one.pieces, 0);
      }
      const seconds = (performance.now() - started) / 1_000;
      const cpu = (await cpuOf(servers)) - before;
      lines.push([
        title,
        String(concurrency),
        ...[0.5, 0.99].map((share) => `${quantile(waits, share).toFixed(1)} ms`),
        (pieces / seconds).toFixed(0),
        `${(cpu / 1_000 / waits.length).toFixed(1)} ms`,
        `${(cpu / 1_000 / pieces).toFixed(2)} ms`,
      ]);
      console.error(lines.at(-1)?.join(' | '));
    }
  }
  return lines;
}

/** Runs `concurrency` streams at once, each in its own conversation. */
async function measureStretch(
  model: Model,
  transport: Transport,
  target: Target,
  concurrency: number,
): Promise<(StreamTiming & { wait: number })[]> {
  return Promise.all(
    Array.from({ length: concurrency }, async () => {
      const mark = `mark-${randomBytes(6).toString('hex')}`;
      const seen = await transport(target, `Tell me about ${mark}`);
      return { ...seen, wait: seen.first - model.wroteFirst(mark) };
    }),
  );
}

/** CPU time of the gateways since their start, in microseconds. */
async function cpuOf(servers: Server[]): Promise<number> {
  const readings = await Promise.all(servers.map((one) => one.ask('read')));
  return readings.reduce((sum, { cpu }) => sum + cpu, 0);
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-stream-'));
  const model = await startModel();
  const servers: Server[] = [];
  await onServer(`CREATE DATABASE ${name}`);
  try {
    const env = {
      ...startEnvironment,
      DATABASE_URL: Object.assign(new URL(server), { pathname: `/${name}` }).href,
      DATA_DIR: folder,
      DEMO: 'true',
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      MODEL_BASE_URL: model.url,
      MODEL_NAME: 'bench',
      STREAM_PING_MS: '200',
    };
    // Sequential, so that the second one finds the database migrated.
    servers.push(await start(gateway, { folder, env }));
    servers.push(await start(gateway, { folder, env }));
    const args = ['--disable-warning=ExperimentalWarning', 'src/cli/token.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    const origins = servers.map(({ origin }) => origin);
    const target = { origins, bearer: stdout.trim(), agentId: await makeAgent(origins[0] ?? '', stdout.trim()) };
    model.pace = pace;
    const lines = await measureAll(model, servers, target);
    report(lines, await measureAtOnce(model, servers[0] as Server, target));
  } finally {
    await Promise.all(servers.map((one) => one.stop()));
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeAgent(origin: string, bearer: string): Promise<string> {
  const query = 'mutation { createAgent(input: { name: "Bench" }) { agent { id } } }';
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { data: { createAgent: { agent: { id: string } } } };
  return data.createAgent.agent.id;
}

function report(lines: string[][], atOnce: string[][]): void {
  const { thinkMs, tokens, gapMs } = pace;
  const head = ['way', 'streams at once', 'p50', 'p99', 'tokens/s', 'CPU a stream', 'CPU a token'];
  const text = `# How soon the words of a model are with a caller

\`npm run bench:stream${flags.rounds === '10' ? '' : ` -- --rounds ${flags.rounds}`}\` on ${new Date().toISOString().slice(0, 10)}: ${printMachine()}.${flags.note && ` ${flags.note}`}

The time from when an OpenAI-compatible model writes the first token of an answer to when a caller has read it: p50 and p99 of
${flags.rounds} rounds. The model thinks for ${thinkMs} ms and then says ${tokens} tokens, ${gapMs} ms apart. Two gateways, each a process of its own, on one
PostgreSQL on the same machine; model and callers share a third process, whose own delays are in the figures. CPU is that of
both gateways, from the question to the stored answer.

${table(head, lines)}

Then many streams on one of the gateways, over REST, at 50 tokens a second each: from when the model wrote a token to when its
caller had it, the gateway's CPU by token, and what its objects and buffers have grown by with garbage collected.

${table(headOfAtOnce, atOnce)}
`;
  console.log(text);
  if (flags.write) writeFileSync(path.join(import.meta.dirname, '../STREAM.md'), text);
}

if (flags.help) console.log(usage);
else await main();

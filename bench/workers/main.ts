/** `npm run bench:workers`: requests per second with one process and with several, or with a standby, side by side. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { BenchRequest, Contender } from '../contender.ts';
import { gateway } from '../contenders/ask-gateway.ts';
import { gatewayEnv, issueTokens } from '../contest.ts';
import { prepareDatabase, scales } from '../data/database.ts';
import { load } from '../load.ts';
import { median } from '../measure.ts';
import { type Operation, operationNames, operations, readTenants, variantsOf } from '../operations.ts';
import { printMachine, table } from '../report.ts';
import { type Server, start } from '../server.ts';

const usage = `npm run bench:workers -- [flags]

  --workers <n,n>          the numbers of processes to compare (1,2)
  --standby <url>          a standby of the server: one process more, whose reads go there
  --conversations <n>      how much data (${scales.full}; messages are ten times as many)
  --only <operations>      parts of the names of operations, with commas between (point,list,create)
  --concurrency <n>        connections that send requests (32)
  --rounds <n>             how often each is measured, in turns (3)
  --seconds <s>            how long each time (2)
  --note <text>            what the reader of the results should know of the run
  --write                  write the table into bench/WORKERS.md, or bench/STANDBY.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made.`;

const { values: flags } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2' },
    standby: { type: 'string', default: '' },
    conversations: { type: 'string', default: String(scales.full) },
    only: { type: 'string', default: 'point,list,create' },
    concurrency: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    note: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const folder = path.join(import.meta.dirname, '../.data');
const named = flags.only.split(',').map((part) => part.trim().toLowerCase());
const measured = operationNames.filter((name) => named.some((part) => name.toLowerCase().includes(part)));

/** Waits until all workers accept requests: /health is answered by the first. */
async function untilAllServe({ contender }: Server): Promise<void> {
  const log = path.join(folder, `${contender.name.replaceAll(/\W+/g, '-')}.log`);
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    if (readFileSync(log, 'utf8').includes('Parley is ready')) return;
  }
  throw new Error(`${contender.name}: not all of them became ready; see ${log}`);
}

async function measureAll(): Promise<string> {
  const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const say = (line: string) => console.error(line);
  const [url] = await prepareDatabase({ server, conversations: Number(flags.conversations), fresh: false, say });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const tenants = await readTenants(pool);
  await pool.end();
  const env = { DATABASE_URL: url, DATA_DIR: folder };
  const tokens = await issueTokens(tenants, { folder, env });
  const counts = flags.workers.split(',').map((count) => count.trim());
  const names = counts.map((count) => `WORKERS=${count}`);
  const contenders = counts.map((WORKERS) => gateway(`workers ${WORKERS}`, tokens, { ...gatewayEnv, WORKERS }));
  if (flags.standby) {
    const DATABASE_READ_URL = Object.assign(new URL(flags.standby), { pathname: new URL(url).pathname }).href;
    names.push('standby');
    contenders.push(stale(gateway('standby', tokens, { ...gatewayEnv, DATABASE_READ_URL })));
  }
  const servers = await Promise.all(contenders.map((contender) => start(contender, { folder, env })));
  try {
    await Promise.all(servers.map(untilAllServe));
    // The standby is compared with its primary twice a second.
    if (flags.standby) await sleep(5_000);
    const lines: string[][] = [];
    for (const operation of measured) lines.push(await measureOperation(operation, servers, variantsOf(tenants, 120)));
    const [first, ...others] = names.map((name) => name.replace('WORKERS=', ''));
    const ratios = others.map((name) => `${name} : ${first}`);
    return table(['operation', 'what', ...names, ...ratios], lines);
  } finally {
    await Promise.all(servers.map((one) => one.stop()));
  }
}

/** The same requests, which may be answered with what is a minute old. */
const stale = (contender: Contender): Contender => ({
  ...contender,
  async requests(...args) {
    const requests = await contender.requests(...args);
    return requests?.map((one) => ({ ...one, headers: { ...one.headers, 'cache-control': 'max-stale=60' } })) ?? null;
  },
});

/** Throws if a read is not answered by the standby. */
async function requireStandby(origin: string, { method, path, headers, body }: BenchRequest): Promise<void> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: headers as Record<string, string>,
    body: typeof body === 'function' ? body() : body,
  });
  await response.text();
  if (!response.headers.has('age'))
    throw new Error('The standby does not serve reads: the log of the gateway says why.');
}

/** The median requests per second of each server, measured in turns, and their ratio to the first. */
async function measureOperation(operation: Operation, servers: Server[], variants: ReturnType<typeof variantsOf>) {
  const rates = servers.map((): number[] => []);
  // The first round is not counted: statements are prepared and code is compiled.
  for (let round = 0; round <= Number(flags.rounds); round++) {
    for (const [index, { contender, origin, send }] of servers.entries()) {
      const requests = await contender.requests(operation, variants, send);
      if (!requests) throw new Error(`${contender.name} does not support ${operation}.`);
      const isRead = !operation.startsWith('create');
      if (contender.name === 'standby' && isRead) await requireStandby(origin, requests[0] as BenchRequest);
      const settings = { requests, concurrency: Number(flags.concurrency), seconds: Number(flags.seconds) };
      const { count, seconds } = await load(origin, settings);
      if (round > 0) rates[index]?.push(count / seconds);
    }
  }
  const [first = 0, ...others] = rates.map(median);
  const ratios = others.map((rate) => (rate / first).toFixed(2));
  return [operation, operations[operation], ...[first, ...others].map((rate) => rate.toFixed(0)), ...ratios];
}

if (flags.help) console.log(usage);
else {
  mkdirSync(folder, { recursive: true });
  const results = await measureAll();
  const settings = `${flags.concurrency} connections, ${flags.conversations} conversations, the median of ${flags.rounds} rounds of ${flags.seconds} s in turns; requests per second.`;
  const [command, file] = flags.standby
    ? ['npm run bench:workers -- --workers 1 --standby <url>', 'STANDBY.md']
    : ['npm run bench:workers', 'WORKERS.md'];
  const parts = [`# What \`${command}\` measured`, printMachine(), flags.note, settings, results];
  const page = parts.filter(Boolean).join('\n\n');
  console.log(page);
  if (flags.write) writeFileSync(path.join(import.meta.dirname, '..', file), `${page}\n`);
}

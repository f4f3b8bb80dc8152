/** `npm run bench:memory`: how much the gateway's memory grows while it reads a large file or a large site. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { printMachine } from '../report.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { writePdf } from './pdf.ts';
import { measure as countedBy } from './processes.ts';
import { serve, type Web } from './site.ts';

const usage = `npm run bench:memory -- [flags]

  --mb <n>       size of the PDF (50)
  --pages <n>    pages of the site (10,000)
  --only <what>  pdf, body (a PDF of 11.5 MB in the request) or site alone
  --on <what>    postgres or embedded alone
  --write        write the table into bench/MEMORY.md

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made.`;

const { values: flags } = parseArgs({
  options: {
    mb: { type: 'string', default: '50' },
    pages: { type: 'string', default: '10000' },
    only: { type: 'string' },
    on: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const pages = Number(flags.pages);
const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

type Kind = 'postgres' | 'embedded';
/** A PDF by URL, a PDF as base64 in the request body, which is limited to 16 MB, or a site. */
type What = 'pdf' | 'body' | 'site';

/** Measures a fresh gateway from when it is ready until the source has been read. Returns a row of the table. */
async function measure(kind: Kind, what: What, web: Web, folder: string): Promise<string> {
  const database = `parley_memory_${randomBytes(4).toString('hex')}`;
  if (kind === 'postgres') await onServer(`CREATE DATABASE ${database}`);
  const settings = {
    DATA_DIR: path.join(folder, `${kind}-${what}`),
    ...(kind === 'postgres' && { DATABASE_URL: at(database), ENCRYPTION_KEYS: randomBytes(32).toString('base64') }),
    FETCH_ALLOW_HOSTS: new URL(web.origin).host,
    CRAWL_DELAY_MS: '0',
    CRAWL_MAX_PAGES: String(pages + 1),
  };
  // The first start creates the database and the demo, which leaves free memory behind; the second one has none to
  // spare.
  await (await startGateway(settings)).stop();
  const gateway = await startGateway(settings);
  try {
    await rest(gateway);
    gateway.forget();
    const before = gateway.memory().now;
    const began = performance.now();
    const sources = [await sourceOf(what, web, folder)];
    const { id } = await gateway.ask('/rest/bases', { description: 'Large', sources });
    const base = await untilRead(gateway, id);
    const { maximum } = gateway.memory();
    await rest(gateway);
    const { now: after } = gateway.memory();
    const seconds = Math.round((performance.now() - began) / 1_000);
    const numbers = [before, maximum, maximum - before, after].map((mb) => Math.round(mb));
    if (base.status !== 'succeeded') console.error(JSON.stringify(base));
    return `| ${kind} | ${what} | ${base.status}, ${base.records} passages | ${numbers.join(' | ')} | ${seconds} |`;
  } finally {
    await gateway.stop();
    if (kind === 'postgres') await onServer(`DROP DATABASE ${database} WITH (FORCE)`);
  }
}

async function sourceOf(what: What, { origin }: Web, folder: string): Promise<object> {
  if (what === 'site') return { type: 'site', file: { url: `${origin}/site/` } };
  if (what === 'pdf') return { type: 'file', file: { url: `${origin}/large.pdf` } };
  const file = path.join(folder, 'small.pdf');
  await writePdf(file, 11_500_000);
  return { type: 'file', file: { data: { base64: readFileSync(file, 'base64') } } };
}

/** Waits until the memory of startup has been released. */
const rest = async (gateway: Gateway): Promise<void> => {
  for (let [last, now] = [Infinity, gateway.memory().now]; Math.abs(last - now) > 1; ) {
    await sleep(2_000);
    [last, now] = [now, gateway.memory().now];
  }
};

async function untilRead(gateway: Gateway, id: string) {
  const query =
    '{ sources(first: 1, filter: { baseId: "ID" }) { nodes { status reason done total } } base(id: "ID") { status records } }';
  for (;;) {
    await sleep(1_000);
    const { data } = await gateway.ask('/graphql', { query: query.replaceAll('ID', id) });
    const [source] = data.sources.nodes;
    if (process.stderr.isTTY) process.stderr.write(`\r${source.done} of ${source.total ?? '?'} `);
    if (source.status !== 'in_progress') return { ...source, ...data.base };
  }
}

const counted =
  countedBy === 'PSS'
    ? 'the PSS of all processes: what several of them share counts once'
    : 'the RSS of all processes, added up: what several of them share counts with each';

const at = (database: string) => Object.assign(new URL(server), { pathname: `/${database}` }).href;

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-memory-'));
  const file = path.join(folder, 'large.pdf');
  const count = await writePdf(file, Number(flags.mb) * 1_000_000);
  const web = await serve(pages, file);
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    console.log(line);
  };
  say(
    `A PDF of ${Math.round(statSync(file).size / 1e6)} MB and ${count} pages (\`pdf\`), one of 11.5 MB in the request (\`body\`), a site of ${pages} pages. Memory is ${counted}.\n`,
  );
  say('| database | what | read | before, MB | most, MB | raised by, MB | after, MB | seconds |');
  say('|---|---|---|--:|--:|--:|--:|--:|');
  try {
    for (const kind of ['postgres', 'embedded'] as const) {
      if (flags.on && flags.on !== kind) continue;
      for (const what of ['pdf', 'body', 'site'] as const) {
        if (!flags.only || flags.only === what) say(await measure(kind, what, web, folder));
      }
    }
  } finally {
    web.close();
    rmSync(folder, { recursive: true, force: true });
  }
  if (flags.write) writeFileSync(path.join(import.meta.dirname, '../MEMORY.md'), reportOf(lines));
}

const reportOf = (lines: string[]) => `# By how much a large source raises the memory of a gateway

\`npm run bench:memory\` on ${new Date().toISOString().slice(0, 10)}: ${printMachine()}.

What a gateway, started as \`npm start\` does, and its children, which read files and pages, hold together: before it is given the
source, when it has come to rest; the most that was seen until the source is read, looked at five times a second; and after that, at
rest. The embedded database is in the gateway's process.

${lines.join('\n')}
`;

if (flags.help) console.log(usage);
else await main();

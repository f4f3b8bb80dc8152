import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openDatabase } from '../src/database/client.ts';
import type { Contender } from './contender.ts';
import { applicationName, type Contest, contendersOn, issueTokens, runContest } from './contest.ts';
import { prepareDatabase, prepareEmbedded, scales } from './data/database.ts';
import { measureFastPath } from './fast-path.ts';
import { type Goals, goalsOn, printGoals } from './goals.ts';
import { operationNames, readTenants, variantsOf } from './operations.ts';
import {
  printMachine,
  printOperations,
  printParts,
  printProfiles,
  printShares,
  printStarts,
  printTable,
  type Results,
} from './report.ts';

const usage = `npm run bench -- [flags]

  --small               little data, one short round: does it work at all?
  --conversations <n>   how much data (${scales.full}; messages are ten times as many)
  --rounds <n>          how often everything is measured (3)
  --seconds <s>         how long each time (2)
  --only <operations>   parts of the names of operations, with commas between
  --against <names>     parts of the names of contenders, with commas between; raw always takes part
  --on <database>       postgres, embedded or both (both)
  --fresh               make the data anew
  --profile             write CPU profiles of the gateway into bench/.data/profiles
  --note <text>         what the reader of the results should know of the run
  --write               write the table into bench/RESULTS.md, as a run without --small, --only or --against does

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made.`;

const here = import.meta.dirname;
const dataFolder = path.join(here, '.data');
const say = (line: string) => console.error(line);
type Flags = ReturnType<typeof readFlags>;

function readFlags(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      small: { type: 'boolean', default: false },
      conversations: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string', default: '' },
      against: { type: 'string', default: '' },
      on: { type: 'string', default: 'both' },
      fresh: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      note: { type: 'string', default: '' },
      write: { type: 'boolean' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { small, only, against, on } = values;
  const parts = (list: string) => (name: string) =>
    list === '' || list.split(',').some((part) => name.toLowerCase().includes(part.trim().toLowerCase()));
  return {
    ...values,
    conversations: Number(values.conversations ?? (small ? scales.small : scales.full)),
    rounds: Number(values.rounds ?? (small ? 1 : 3)),
    seconds: Number(values.seconds ?? (small ? 0.5 : 2)),
    write: values.write ?? (!small && only === '' && against === '' && on === 'both'),
    operations: operationNames.filter(parts(only)),
    takesPart: ({ name }: Contender) => name === 'raw' || parts(against)(name),
  };
}

/** Runs the bench as the flags say, prints the tables and saves them. */
export async function run(args: string[]): Promise<void> {
  const flags = readFlags(args);
  if (flags.help) return console.log(usage);
  mkdirSync(dataFolder, { recursive: true });
  const parts: string[] = [];
  if (flags.on !== 'embedded') parts.push(await onPostgres(flags));
  if (flags.on !== 'postgres') parts.push(await onEmbedded(flags));
  if (flags.only === '') parts.push(`## Around compiled queries\n\n${await measureFastPath(dataFolder)}`);
  const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const page = [`# What \`${command}\` measured`, introduction(flags), ...parts].join('\n\n');
  console.log(parts.join('\n\n'));
  if (flags.write) writeFileSync(path.join(here, 'RESULTS.md'), `${page}\n`);
}

async function onPostgres(flags: Flags): Promise<string> {
  const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const url = await prepareDatabase({ server, conversations: flags.conversations, fresh: flags.fresh, say });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const tenants = await readTenants(pool);
  const version = (await pool.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version;
  await pool.end();
  const envOf = (contender: Contender) => {
    const named = new URL(url);
    named.searchParams.set('application_name', applicationName(contender));
    return { DATABASE_URL: named.href, DATA_DIR: dataFolder };
  };
  const tokens = await issueTokens(tenants, { folder: dataFolder, env: { DATABASE_URL: url, DATA_DIR: dataFolder } });
  const results = await runContest({
    ...common(flags),
    contenders: contendersOn('postgres', tokens).filter(flags.takesPart),
    variants: variantsOf(tenants),
    databaseUrl: url,
    goals: goalsOn.postgres,
    options: (contender) => ({ folder: dataFolder, env: envOf(contender), flags: profileFlags(flags, contender) }),
  });
  return section(`PostgreSQL ${version}, ${flags.conversations} conversations`, results, goalsOn.postgres);
}

/** Each contender gets a copy of the folder, since only one process can open it. */
async function onEmbedded(flags: Flags): Promise<string> {
  const conversations = Math.ceil(flags.conversations / 10);
  const source = path.join(dataFolder, `embedded-${conversations}`);
  const ready = path.join(source, 'bench-ready');
  if (flags.fresh || !existsSync(ready)) {
    say(`Making ${conversations} conversations in an embedded database`);
    rmSync(source, { recursive: true, force: true });
    await prepareEmbedded(source, conversations);
    writeFileSync(ready, '');
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  try {
    const first = path.join(folder, 'first');
    cpSync(source, first, { recursive: true });
    const handle = await openDatabase({ databaseUrl: null, dataDir: first });
    const tenants = await readTenants(handle.pool);
    await handle.close();
    const tokens = await issueTokens(tenants, { folder: dataFolder, env: { DATA_DIR: first } });
    const contenders = contendersOn('embedded', tokens).filter(flags.takesPart);
    const copies = new Map(contenders.map(({ name }, index) => [name, path.join(folder, `copy-${index}`)]));
    for (const copy of copies.values()) cpSync(first, copy, { recursive: true });
    const results = await runContest({
      ...common(flags),
      contenders,
      variants: variantsOf(tenants),
      databaseUrl: null,
      goals: goalsOn.embedded,
      options: ({ name }) => ({ folder: dataFolder, env: { DATA_DIR: copies.get(name) ?? '' } }),
    });
    return section(`Embedded (PGlite), ${conversations} conversations`, results, goalsOn.embedded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const common = ({
  operations,
  rounds,
  seconds,
}: Flags): Pick<Contest, 'operations' | 'concurrencies' | 'rounds' | 'seconds' | 'say'> => ({
  operations,
  concurrencies: [1, 32],
  rounds,
  seconds,
  say,
});

const profileFlags = ({ profile }: Flags, { name }: Contender): string[] =>
  profile && name.startsWith('gateway') ? ['--cpu-prof', `--cpu-prof-dir=${path.join(dataFolder, 'profiles')}`] : [];

function section(title: string, results: Results, goals: Goals): string {
  const parts = [`## ${title}`, printGoals(results, goals)];
  if (results.shares.size > 0) parts.push(missed, printProfiles(results));
  if (results.parts.length > 0)
    parts.push(
      `What the memory of the gateway is in the end, in MB, after one more load of ${results.operations[0]}: ${printParts(results)}.`,
    );
  parts.push('Requests per second at 32 connections, as a share of raw:', printShares(results));
  return [...parts, printTable(results), printStarts(results)].join('\n\n');
}

const missed = `What the CPU of the gateway goes to where a share of raw is missed, in percent of what it takes for a request; the
times of node:http, of node-postgres and of the system calls that they make are with what they are for:`;

const introduction = ({
  rounds,
  seconds,
  operations,
  note,
}: Flags): string => `${new Date().toISOString().slice(0, 16)}Z on ${printMachine()}${note && `. ${note}`}

The server, the database and the load share the machine. **raw** is node:http and node-postgres with one prepared
statement that writes the body of the response; it checks no bearer, keeps no log and validates nothing, and its figures
are its own. The other rows are multiples of raw, medians of ${rounds} interleaved rounds of ${seconds} s each: of requests, more is better;
of time and CPU (of one request), less. Statements are counted on the wire, once warm; "(compiled)": the gateway says that its
compiled queries answered. RSS is the largest after load (the gateway is started as npm start does it); "loop p99" is how late the event loop is at half of the speed.
PostGraphile and Mercurius check no bearer and keep no log either; both are asked through GraphQL for what the REST pages hold.

${printOperations(operations)}`;

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openDatabase } from '../src/database/client.ts';
import type { Contender, Tokens } from './contender.ts';
import { applicationName, contendersOn, gatewaysOn, issueTokens, runContest } from './contest.ts';
import { clusterBeside } from './data/cluster.ts';
import { prepareDatabase, prepareEmbedded } from './data/database.ts';
import { prepareTurns, removeTurns } from './data/turns.ts';
import { type Flags, readFlags, usage } from './flags.ts';
import { goalsOn } from './goals.ts';
import { isTurn, readTenants, type Tenant, turnConversations, variantsOf } from './operations.ts';
import { openPage, type Page } from './page.ts';
import { measurePipeline } from './pipeline.ts';
import { startTurnModel, type TurnModel } from './turn-model.ts';

const here = import.meta.dirname;
const dataFolder = path.join(here, '.data');
const say = (line: string) => console.error(line);

/**
 * Runs the bench as the flags say, and prints each table once its figures stand. A run that fails or is interrupted
 * keeps what stands.
 */
export async function run(args: string[]): Promise<void> {
  const flags = readFlags(args);
  if (flags.help) return console.log(usage);
  mkdirSync(dataFolder, { recursive: true });
  const page = openPage(args, flags, path.join(dataFolder, 'results.md'));
  const model = flags.operations.some(isTurn) ? await startTurnModel() : null;
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort());
  try {
    const { signal } = interruption;
    if (flags.on !== 'embedded') await onPostgres(flags, page, model, signal);
    if (['embedded', 'both'].includes(flags.on)) await onEmbedded(flags, page, model, signal);
    if (flags.only === '' && flags.watched && flags.on !== 'citus') {
      page.add(`## Around compiled queries\n\n${await measurePipeline(dataFolder)}`);
    }
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    say('Interrupted. What stands is in bench/.data/results.md');
    process.exitCode = 130;
    return;
  } finally {
    model?.stop();
  }
  if (flags.write) writeFileSync(path.join(here, 'RESULTS.md'), page.text());
}

/** A database with the bench's data, alone or of a cluster: its URL, and those of its nodes. */
type Place = { urls: [string, ...string[]]; pool: pg.Pool; tenants: Tenant[]; tokens: Tokens };

async function openPlace(flags: Flags, model: TurnModel | null, server: string, nodes: string[] = []): Promise<Place> {
  const { conversations, variants } = flags;
  // Two databases are compared: what updates of earlier runs have left would differ.
  const fresh = flags.fresh || flags.on === 'citus';
  const urls = await prepareDatabase({ server, nodes, conversations, fresh, say });
  const pool = new pg.Pool({ connectionString: urls[0], max: 1 });
  const tenants = await readTenants(pool);
  if (model) await prepareTurns(pool, turnConversations(variants));
  const env = { DATABASE_URL: urls[0], DATA_DIR: dataFolder };
  return { urls, pool, tenants, tokens: await issueTokens(tenants, { folder: dataFolder, env }) };
}

/** On a PostgreSQL server and, on a cluster, the gateway on both. */
async function onPostgres(flags: Flags, page: Page, model: TurnModel | null, signal: AbortSignal): Promise<void> {
  const server = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const isCluster = flags.on === 'citus';
  const [coordinator, ...nodes] = isCluster ? clusterBeside(server) : [];
  const alone = await openPlace(flags, model, server);
  const spread = coordinator ? await openPlace(flags, model, coordinator, nodes) : alone;
  const contenders = isCluster
    ? gatewaysOn({ 'gateway, one server': alone.tokens, gateway: spread.tokens })
    : contendersOn('postgres', alone.tokens).filter(flags.takesPart);
  const placeOf = ({ name }: Contender) => (name === 'gateway' ? spread : alone);
  const envOf = (contender: Contender) => {
    const named = new URL(placeOf(contender).urls[0]);
    named.searchParams.set('application_name', applicationName(contender));
    return { DATABASE_URL: named.href, DATA_DIR: dataFolder, ...model?.env };
  };
  const version = (await alone.pool.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version;
  const title = `PostgreSQL ${version}, ${flags.conversations} conversations`;
  const goals = isCluster ? null : goalsOn.postgres;
  const section = page.section(isCluster ? `Citus on ${title}` : title, goals);
  await section.whole(
    runContest({
      ...flags,
      say,
      signal,
      keep: section.keep,
      contenders,
      variants: variantsOf(alone.tenants, flags.variants),
      databasesOf: (contender) => placeOf(contender).urls,
      goals,
      options: (contender) => ({ folder: dataFolder, env: envOf(contender), flags: profileFlags(flags, contender) }),
    }),
  );
  for (const { pool } of new Set([alone, spread])) {
    if (model) await removeTurns(pool);
    await pool.end();
  }
}

/** Each contender gets a copy of the folder, since only one process can open it. */
async function onEmbedded(flags: Flags, page: Page, model: TurnModel | null, signal: AbortSignal): Promise<void> {
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
    if (model) await prepareTurns(handle.pool, turnConversations(flags.variants));
    await handle.close();
    const tokens = await issueTokens(tenants, { folder: dataFolder, env: { DATA_DIR: first } });
    const contenders = contendersOn('embedded', tokens).filter(flags.takesPart);
    const copies = new Map(contenders.map(({ name }, index) => [name, path.join(folder, `copy-${index}`)]));
    for (const copy of copies.values()) cpSync(first, copy, { recursive: true });
    const section = page.section(`Embedded (PGlite), ${conversations} conversations`, goalsOn.embedded);
    await section.whole(
      runContest({
        ...flags,
        say,
        signal,
        keep: section.keep,
        contenders,
        variants: variantsOf(tenants, flags.variants),
        databasesOf: () => [],
        goals: goalsOn.embedded,
        options: ({ name }) => ({ folder: dataFolder, env: { DATA_DIR: copies.get(name) ?? '', ...model?.env } }),
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const profileFlags = ({ profile }: Flags, { name }: Contender): string[] =>
  profile && name.startsWith('gateway') ? ['--cpu-prof', `--cpu-prof-dir=${path.join(dataFolder, 'profiles')}`] : [];

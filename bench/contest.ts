import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import type { Contender, Tokens } from './contender.ts';
import { gateway } from './contenders/ask-gateway.ts';
import { mercurius } from './contenders/ask-mercurius.ts';
import { postgraphile } from './contenders/ask-postgraphile.ts';
import { raw } from './contenders/ask-raw.ts';
import { type Goals, isTooLarge, shortOf } from './goals.ts';
import {
  keyOf,
  measure,
  measureDelay,
  measureMemory,
  measureShares,
  median,
  type Plan,
  type Runner,
} from './measure.ts';
import { isCreate, type Operation, type Tenant, type Variant } from './operations.ts';
import type { Results } from './report.ts';
import { type StartOptions, start } from './server.ts';
import { verify } from './verify.ts';

/** Any key will do: the bench's data contains no secrets. */
const key = createHash('sha256').update('bench').digest('base64');
export const gatewayEnv = { ENCRYPTION_KEYS: `bench:${key}`, DEMO: 'false', LOG_LEVEL: 'info' };

/** The contenders. The first, raw, is the baseline. */
export function contendersOn(kind: 'postgres' | 'embedded', tokens: Tokens): Contender[] {
  const own = gateway('gateway', tokens, { ...gatewayEnv, LANE: 'on' });
  const resolversAlone = gateway('gateway, resolvers', tokens, { ...gatewayEnv, LANE: 'off' });
  if (kind === 'embedded') return [raw, own, resolversAlone];
  return [raw, own, resolversAlone, postgraphile, mercurius];
}

/** Starts the gateway, and has its own command issue a token per workspace, valid for a day. */
export async function issueTokens(tenants: Tenant[], options: StartOptions): Promise<Tokens> {
  const server = await start(
    gateway('tokens', () => '', gatewayEnv),
    options,
  );
  const command = path.join(import.meta.dirname, '../src/cli/token.ts');
  const env = { PATH: process.env.PATH, ...gatewayEnv, ...options.env };
  try {
    const tokens = new Map(
      tenants.map(({ workspaceId, userId }) => {
        const args = ['--disable-warning=ExperimentalWarning', command, '--workspace', workspaceId, '--user', userId];
        const token = execFileSync(process.execPath, [...args, '--ttl', '86400'], { env, encoding: 'utf8' });
        return [workspaceId, token.trim()];
      }),
    );
    return ({ workspaceId }) => tokens.get(workspaceId) ?? '';
  } finally {
    await server.stop();
  }
}

export type Contest = {
  contenders: Contender[];
  operations: Operation[];
  variants: Variant[];
  /** Null on the embedded database. */
  databaseUrl: string | null;
  goals: Goals;
  options: (contender: Contender) => StartOptions;
} & Pick<Plan, 'concurrencies' | 'rounds' | 'seconds' | 'say'>;

/** The application_name that identifies a contender's connections in PostgreSQL. */
export const applicationName = ({ name }: Contender): string => `bench ${name}`;

/** Verifies that all contenders return the same, and measures them. */
export async function runContest(contest: Contest): Promise<Results> {
  const { contenders, operations, seconds, say, databaseUrl, goals } = contest;
  say('Checking that all answer the same');
  const findings = await verify(contest);
  const pool = databaseUrl ? new pg.Pool({ connectionString: databaseUrl, max: 1 }) : null;
  const runners: Runner[] = [];
  try {
    for (const contender of contenders) runners.push(await startRunner(contest, contender));
    const slices = await measure({ ...contest, runners, pool, betweenRounds: () => removeCreated(pool) });
    const delays = new Map<string, number>();
    say('Watching the event loops at half speed');
    for (const operation of operations.filter((name) => !isCreate(name))) {
      for (const runner of runners) {
        const measured = slices.get(keyOf(runner.server.contender.name, operation, 32));
        if (!measured) continue;
        const throughput = median(measured.map((slice) => slice.throughput));
        const delay = await measureDelay(runner, operation, throughput, seconds);
        delays.set(keyOf(runner.server.contender.name, operation, 32), delay);
      }
    }
    const starts = runners.map(({ server, idleRss }) => ({
      contender: server.contender.name,
      ms: server.startMs,
      rss: idleRss,
    }));
    const names = contenders.map(({ name }) => name);
    const plan = { slices, findings, delays, starts, contenders: names, operations };
    const results: Results = { ...plan, shares: new Map(), parts: [] };
    const gateway = runners.find(({ server }) => server.contender.name === 'gateway');
    for (const operation of gateway ? shortOf(results, goals) : []) {
      say(`Looking into ${operation}`);
      if (gateway) results.shares.set(operation, await measureShares(gateway, operation, seconds));
    }
    const [largest] = operations;
    if (gateway && largest && isTooLarge(results, goals)) {
      results.parts = await measureMemory(gateway, largest, seconds);
    }
    await removeCreated(pool);
    return results;
  } finally {
    await Promise.all(runners.map(({ server }) => server.stop()));
    await pool?.end();
  }
}

async function startRunner({ operations, variants, options, say }: Contest, contender: Contender): Promise<Runner> {
  const server = await start(contender, options(contender));
  const { rss } = await server.ask('read');
  say(`${contender.name} was ready in ${Math.round(server.startMs)} ms`);
  const requestsByOperation: Runner['requests'] = new Map();
  for (const operation of operations) {
    const requests = await contender.requests(operation, variants, server.send);
    if (requests) requestsByOperation.set(operation, requests);
  }
  return { server, applicationName: applicationName(contender), idleRss: rss, requests: requestsByOperation };
}

/** Leads created in earlier rounds must not slow down later ones. */
async function removeCreated(pool: pg.Pool | null): Promise<void> {
  await pool?.query(`DELETE FROM "Lead" WHERE name = 'Bench'`);
  await pool?.query('VACUUM ANALYZE "Lead"');
}

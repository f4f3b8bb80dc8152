import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import type { Contender, Tokens } from './contender.ts';
import { gateway } from './contenders/ask-gateway.ts';
import { mercurius } from './contenders/ask-mercurius.ts';
import { postgraphile } from './contenders/ask-postgraphile.ts';
import { raw } from './contenders/ask-raw.ts';
import { resetTurns } from './data/turns.ts';
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
import { isTurn, isWrite, type Operation, type Tenant, type Variant } from './operations.ts';
import type { Results } from './report.ts';
import { type StartOptions, start } from './server.ts';
import { type Findings, findHow, verify } from './verify.ts';

/** Any key will do: the bench's data contains no secrets. */
const key = createHash('sha256').update('bench').digest('base64');
export const gatewayEnv = { ENCRYPTION_KEYS: `bench:${key}`, DEMO: 'false', LOG_LEVEL: 'info' };

/** The contenders. The first, raw, is the baseline. */
export function contendersOn(kind: 'postgres' | 'embedded', tokens: Tokens): Contender[] {
  const own = gateway('gateway', tokens, { ...gatewayEnv, COMPILED_QUERIES: 'on' });
  const resolversAlone = gateway('gateway, resolvers', tokens, { ...gatewayEnv, COMPILED_QUERIES: 'off' });
  if (kind === 'embedded') return [raw, own, resolversAlone];
  return [raw, own, resolversAlone, postgraphile, mercurius];
}

/** Gateways on databases that differ, each with the tokens of its own. The first is the baseline. */
export const gatewaysOn = (tokens: Record<string, Tokens>): Contender[] =>
  Object.entries(tokens).map(([name, own]) => gateway(name, own, { ...gatewayEnv, COMPILED_QUERIES: 'on' }));

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
  /** How many of the variants are compared. */
  checked: number;
  /** Whether statements are counted, and delays of event loops and profiles measured. */
  watched: boolean;
  /** The database of a contender, and those of its cluster's nodes; none on the embedded database. */
  databasesOf: (contender: Contender) => string[];
  goals: Goals | null;
  options: (contender: Contender) => StartOptions;
  /** Receives the results whenever one more operation is in them. */
  keep: (results: Results, operation: Operation) => void;
  say: (line: string) => void;
} & Pick<Plan, 'concurrencies' | 'rounds' | 'seconds' | 'signal'>;

/** The application_name that identifies a contender's connections in PostgreSQL. */
export const applicationName = ({ name }: Contender): string => `bench ${name}`;

/** Verifies that all contenders return the same, and measures them, one operation after the other. */
export async function runContest(contest: Contest): Promise<Results> {
  const { contenders, operations, seconds, say, goals, signal } = contest;
  const runners: Runner[] = [];
  try {
    const findings = new Map<string, Findings>();
    for (const contender of contest.watched ? contenders : []) {
      signal.throwIfAborted();
      say(`Counting the statements of ${contender.name}`);
      findings.set(contender.name, await findHow(contender, contest));
    }
    for (const contender of contenders) {
      signal.throwIfAborted();
      runners.push(await startRunner(contest, contender));
    }
    say('Checking that all answer the same');
    await verify(runners, contest);
    const results: Results = {
      slices: new Map(),
      findings,
      delays: new Map(),
      starts: runners.map(({ server, idleRss }) => ({
        contender: server.contender.name,
        ms: server.startMs,
        rss: idleRss,
      })),
      contenders: contenders.map(({ name }) => name),
      operations: [],
      shares: new Map(),
      parts: [],
    };
    const plan: Plan = { ...contest, runners, clean: removeCreated };
    for (const operation of operations) {
      say(`Measuring ${operation}`);
      await measureOperation(contest, plan, operation, results);
      contest.keep(results, operation);
    }
    const gateway = runners.find(isGateway);
    const [largest] = operations;
    if (contest.watched && goals && gateway && largest && isTooLarge(results, goals)) {
      results.parts = await measureMemory(gateway, largest, seconds);
    }
    return results;
  } finally {
    await Promise.all(runners.map(({ server }) => server.stop()));
    await Promise.all(runners.flatMap(({ databases }) => databases.map((pool) => (pool as pg.Pool).end())));
  }
}

const isGateway = ({ server }: Runner): boolean => server.contender.name === 'gateway';

/** Adds what is measured of an operation to the results. */
async function measureOperation(
  { watched, seconds, goals }: Contest,
  plan: Plan,
  operation: Operation,
  results: Results,
): Promise<void> {
  const { runners } = plan;
  const slices = await measure(plan, operation);
  for (const [key, measured] of slices) results.slices.set(key, measured);
  results.operations.push(operation);
  if (!watched) return;
  for (const runner of isWrite(operation) ? [] : runners) {
    const key = keyOf(runner.server.contender.name, operation, 32);
    const throughputs = slices.get(key)?.map(({ throughput }) => throughput);
    if (!throughputs) continue;
    plan.signal.throwIfAborted();
    results.delays.set(key, await measureDelay(runner, operation, median(throughputs), seconds));
  }
  const gateway = runners.find(isGateway);
  if (!gateway || !goals || !shortOf(results, goals).includes(operation)) return;
  results.shares.set(operation, await measureShares(gateway, operation, seconds));
  await plan.clean(gateway, operation);
}

async function startRunner(contest: Contest, contender: Contender): Promise<Runner> {
  const { operations, variants, options, databasesOf, say } = contest;
  const server = await start(contender, options(contender));
  try {
    const { rss } = await server.ask('read');
    say(`${contender.name} was ready in ${Math.round(server.startMs)} ms`);
    const requestsByOperation: Runner['requests'] = new Map();
    for (const operation of operations) {
      const requests = await contender.requests(operation, variants, server.send);
      if (requests) requestsByOperation.set(operation, requests);
    }
    const databases = databasesOf(contender).map((url) => new pg.Pool({ connectionString: url, max: 1 }));
    return {
      server,
      applicationName: applicationName(contender),
      databases,
      idleRss: rss,
      requests: requestsByOperation,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** What was written before must not slow down what comes later. */
async function removeCreated({ databases: [pool] }: Runner, operation: Operation): Promise<void> {
  if (pool && isTurn(operation)) await resetTurns(pool);
  if (!isWrite(operation)) return;
  await pool?.query(`DELETE FROM "Lead" WHERE name = 'Bench'`);
  await pool?.query('VACUUM ANALYZE "Lead"');
}

import { isDeepStrictEqual } from 'node:util';
import type { Contender } from './contender.ts';
import { normalise } from './normalise.ts';
import { isCreate, type Operation, type Variant } from './operations.ts';
import { type Server, type StartOptions, start } from './server.ts';
import { openStatementCounter } from './statement-counter.ts';

/** How a contender serves an operation. */
export type Finding = { statements: number | null; compiled: boolean };
export type Findings = Map<Operation, Finding>;
type Verification = {
  contenders: Contender[];
  operations: Operation[];
  variants: Variant[];
  databaseUrl: string | null;
  options: (contender: Contender) => StartOptions;
};

/** Enough variants to cover every workspace and two dozen agents. */
const CHECKED = 24;

/**
 * Starts each contender, raw first, and requests every operation. Throws unless all return the same. On PostgreSQL,
 * counts the statements of each response, once everything is warm.
 */
export async function verify({ contenders, operations, variants, databaseUrl, options }: Verification) {
  const findings = new Map<string, Findings>();
  const truth = new Map<string, unknown>();
  for (const contender of contenders) {
    const given = options(contender);
    const counter = databaseUrl ? await openStatementCounter(given.env.DATABASE_URL ?? databaseUrl) : null;
    const server = await start(
      contender,
      counter ? { ...given, env: { ...given.env, DATABASE_URL: counter.url } } : given,
    );
    try {
      const found: Findings = new Map();
      for (const operation of operations) {
        const finding = await check(server, operation, variants, truth, counter?.count ?? null);
        if (finding) found.set(operation, finding);
      }
      findings.set(contender.name, found);
    } finally {
      await server.stop();
      await counter?.close();
    }
  }
  return findings;
}

async function check(
  server: Server,
  operation: Operation,
  variants: Variant[],
  truth: Map<string, unknown>,
  count: (() => number) | null,
): Promise<Finding | null> {
  const { contender, send } = server;
  const checked = variants.slice(0, isCreate(operation) ? 3 : CHECKED);
  const asks = await contender.requests(operation, checked, send);
  if (!asks) return null;
  const counts: number[] = [];
  let compiled = true;
  for (const [index, ask] of [...asks, ...asks].entries()) {
    const before = count?.() ?? 0;
    const answer = await send(ask);
    counts.push((count?.() ?? 0) - before);
    compiled = answer.compiled;
    const key = `${operation} ${index % asks.length}`;
    const given = normalise(operation, contender.read(operation, answer.body));
    if (!truth.has(key)) truth.set(key, given);
    const expected = truth.get(key);
    if (!isDeepStrictEqual(given, expected)) {
      throw new Error(`${contender.name} answers ${key} otherwise than raw: ${difference(given, expected)}`);
    }
  }
  // Jobs run statements meanwhile, most of them in the first seconds after a start: the least is the request's own.
  return { statements: count ? Math.min(...counts.slice(asks.length)) : null, compiled };
}

/** Describes the first place where two values differ. */
function difference(given: unknown, expected: unknown, path = ''): string {
  if (given !== null && expected !== null && typeof given === 'object' && typeof expected === 'object') {
    for (const key of new Set([...Object.keys(given), ...Object.keys(expected)])) {
      const [a, b] = [(given as Record<string, unknown>)[key], (expected as Record<string, unknown>)[key]];
      if (!isDeepStrictEqual(a, b)) return difference(a, b, `${path}.${key}`);
    }
  }
  return `${path} is ${JSON.stringify(given)?.slice(0, 200)}, not ${JSON.stringify(expected)?.slice(0, 200)}`;
}

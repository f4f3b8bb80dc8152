import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Contender } from './contender.ts';
import type { Runner } from './measure.ts';
import { normalise } from './normalise.ts';
import { isWrite, type Operation, type Variant } from './operations.ts';
import { type StartOptions, start } from './server.ts';
import { openStatementCounter } from './statement-counter.ts';

/** How many answers of a write are compared: they leave rows. */
const created = 3;
/** How often a request is repeated to count its statements, and how long between two: jobs are through meanwhile. */
const counted = 12;
/** In milliseconds. */
const between = 100;

type Verification = { operations: Operation[]; checked: number; signal: AbortSignal };

/** Requests every operation of every runner, raw first. Throws unless all return the same. */
export async function verify(runners: Runner[], { operations, checked, signal }: Verification): Promise<void> {
  for (const operation of operations) {
    let truth: unknown[] | null = null;
    for (const { server, requests } of runners) {
      const { contender, send } = server;
      const answers: unknown[] = [];
      for (const ask of requests.get(operation)?.slice(0, isWrite(operation) ? created : checked) ?? []) {
        signal.throwIfAborted();
        const { body } = await send(ask);
        answers.push(normalise(operation, contender.read(operation, body)));
      }
      truth ??= answers;
      for (const [index, answer] of answers.entries()) {
        if (isDeepStrictEqual(answer, truth[index])) continue;
        const where = difference(answer, truth[index]);
        throw new Error(`${contender.name} answers ${operation} ${index} otherwise than raw: ${where}`);
      }
    }
  }
}

/** How a contender serves an operation: null if the statements were not counted. */
export type Finding = { statements: number | null; compiled: boolean };
export type Findings = Map<Operation, Finding>;

type Count = {
  operations: Operation[];
  variants: Variant[];
  databasesOf: (contender: Contender) => string[];
  options: (contender: Contender) => StartOptions;
};

/**
 * Finds how a contender serves each operation. On PostgreSQL, counts the statements on the wire, once warm, in a
 * process of its own, so that the measured one is not slowed down.
 */
export async function findHow(contender: Contender, { operations, variants, databasesOf, options }: Count) {
  const given = options(contender);
  const [databaseUrl] = databasesOf(contender);
  const counter = databaseUrl ? await openStatementCounter(given.env.DATABASE_URL ?? databaseUrl) : null;
  const env = { ...given.env, ...(counter && { DATABASE_URL: counter.url }) };
  const server = await start(contender, { ...given, env });
  const findings: Findings = new Map();
  try {
    for (const operation of operations) {
      const [ask] = (await contender.requests(operation, variants.slice(0, 1), server.send)) ?? [];
      if (!ask) continue;
      const counts: number[] = [];
      let compiled = true;
      for (let time = 0; time <= counted; time++) {
        await sleep(between);
        const before = counter?.count() ?? 0;
        ({ compiled } = await server.send(ask));
        if (time > 0) counts.push((counter?.count() ?? 0) - before);
      }
      // Jobs run statements meanwhile, most of them in the first seconds after a start: the least is the request's own.
      findings.set(operation, { statements: counter && Math.min(...counts), compiled });
    }
    return findings;
  } finally {
    await server.stop();
    await counter?.close();
  }
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

import type { BenchRequest } from './contender.ts';
import { type Databases, readTimes, timeBetween } from './database-cpu.ts';
import { load } from './load.ts';
import type { Parts } from './memory-parts.ts';
import { isTurn, type Operation } from './operations.ts';
import { type Shares, sharesOf } from './profile.ts';
import type { Server } from './server.ts';

/** A running contender, its memory when it became ready, and its requests for each operation. */
export type Runner = {
  server: Server;
  applicationName: string;
  /** For reading the database's CPU time; none if the database runs inside the contender. */
  databases: Databases;
  idleRss: number;
  requests: Map<Operation, BenchRequest[]>;
};
/** One stretch of load: its results and its costs. */
export type Slice = {
  /** Responses per second. */
  throughput: number;
  /** Latencies in milliseconds. */
  p50: number;
  p99: number;
  /** CPU time per response in microseconds; null for a database whose processes cannot be observed. */
  serverCpu: number;
  databaseCpu: number | null;
  /** Memory of the process after the load, in bytes. */
  rss: number;
};
export type Slices = Map<string, Slice[]>;

export const keyOf = (contender: string, operation: Operation, concurrency: number): string =>
  `${contender} | ${operation} | ${concurrency}`;

export type Plan = {
  runners: Runner[];
  concurrencies: number[];
  rounds: number;
  seconds: number;
  /** Removes what the operation has created. */
  clean: (runner: Runner, operation: Operation) => Promise<void>;
  /** Ends the run between two slices. */
  signal: AbortSignal;
};

/** Measures an operation at every concurrency, alternating between contenders, in `rounds` rounds. */
export async function measure(plan: Plan, operation: Operation): Promise<Slices> {
  const { rounds, signal } = plan;
  const slices: Slices = new Map();
  const runners = plan.runners.filter(({ requests }) => requests.has(operation));
  for (const runner of runners) await warmUp(runner, operation, plan);
  for (let round = 0; round < rounds; round++) {
    for (const concurrency of plan.concurrencies) {
      for (const runner of runners) {
        await plan.clean(runner, operation);
        const key = keyOf(runner.server.contender.name, operation, concurrency);
        signal.throwIfAborted();
        slices.set(key, [...(slices.get(key) ?? []), await measureSlice(runner, operation, concurrency, plan)]);
      }
    }
  }
  for (const runner of runners) await plan.clean(runner, operation);
  return slices;
}

/** At most so many seconds of load before what counts: V8 optimises for as long as it finds more that runs often. */
const longestWarmUp = 8;
/** A turn runs far more code than a read: it is warm after so many, or so many seconds. */
const turnWarmUp = { count: 3_000, seconds: 40 };
/** By how much a stretch is faster than the one before while a contender is not warm yet. */
const stillWarming = 1.05;

/** Loads a contender until it no longer becomes faster, and with turns until it has answered some thousands. */
async function warmUp(runner: Runner, operation: Operation, { seconds, clean, signal }: Plan): Promise<void> {
  const requests = requestsOf(runner, operation);
  const stretch = { requests, concurrency: 32, seconds: Math.min(1, seconds) };
  // A run of less than a second asks only whether everyone answers.
  const isShort = seconds < 1;
  const fewest = isTurn(operation) && !isShort ? turnWarmUp.count : 0;
  const longest = isShort ? 1 : fewest > 0 ? turnWarmUp.seconds : longestWarmUp;
  let before = 0;
  let total = 0;
  for (let second = 0; second < longest; second++) {
    signal.throwIfAborted();
    const { count, seconds: took } = await load(runner.server.origin, stretch);
    total += count;
    if (total >= fewest && count / took < before * stillWarming) return;
    before = count / took;
    // Each conversation has one twentieth message only.
    if (fewest > 0) await clean(runner, operation);
  }
}

const requestsOf = ({ requests }: Runner, operation: Operation): BenchRequest[] => requests.get(operation) ?? [];

async function measureSlice(
  runner: Runner,
  operation: Operation,
  concurrency: number,
  { seconds }: Plan,
): Promise<Slice> {
  const { server, applicationName, databases } = runner;
  const times = () => (databases.length > 0 ? readTimes(databases, applicationName) : null);
  const before = await server.ask('read');
  const timesBefore = await times();
  const {
    count,
    seconds: took,
    latencies,
  } = await load(server.origin, { requests: requestsOf(runner, operation), concurrency, seconds });
  const timesAfter = await times();
  const after = await server.ask('read');
  const databaseMs = timesBefore && timesAfter && timeBetween(timesBefore, timesAfter);
  return {
    throughput: count / took,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    serverCpu: (after.cpu - before.cpu) / count,
    databaseCpu: databaseMs === null || Number.isNaN(databaseMs) ? null : (databaseMs * 1000) / count,
    rss: after.rss,
  };
}

/** Expects `sorted` in ascending order. */
const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Returns the p99 event loop delay in milliseconds, under requests at half the given throughput. */
export async function measureDelay(
  runner: Runner,
  operation: Operation,
  throughput: number,
  seconds: number,
): Promise<number> {
  const requests = requestsOf(runner, operation);
  await runner.server.ask('watch');
  await load(runner.server.origin, { requests, concurrency: 32, seconds, rate: throughput / 2 });
  return (await runner.server.ask('unwatch')).delay;
}

/** Profiles what a contender spends CPU time on, at 32 connections. */
export async function measureShares(
  { server, requests }: Runner,
  operation: Operation,
  seconds: number,
): Promise<Shares> {
  await server.ask('profile');
  await load(server.origin, { requests: requests.get(operation) ?? [], concurrency: 32, seconds });
  const { profile } = await server.ask('unprofile');
  return profile ? sharesOf(profile) : [];
}

/** Breaks down a contender's memory right after a load of 32 connections. */
export async function measureMemory(
  { server, requests }: Runner,
  operation: Operation,
  seconds: number,
): Promise<Parts> {
  await load(server.origin, { requests: requests.get(operation) ?? [], concurrency: 32, seconds });
  return (await server.ask('memory')).parts ?? [];
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
  return sorted[Math.floor(middle)] as number;
}

import { arch, cpus, platform, release, totalmem } from 'node:os';
import { keyOf, median, type Slice, type Slices } from './measure.ts';
import type { Parts } from './memory-parts.ts';
import { type Operation, operations } from './operations.ts';
import type { Shares } from './profile.ts';
import type { Findings } from './verify.ts';

export type Results = {
  slices: Slices;
  findings: Map<string, Findings>;
  /** Event loop delay at 32 connections, keyed as in `keyOf`. */
  delays: Map<string, number>;
  /** The gateway's CPU profile, for operations that miss their target. */
  shares: Map<Operation, Shares>;
  /** The breakdown of the gateway's memory, if it misses its target. */
  parts: Parts;
  /** Each contender's startup time in milliseconds, and its memory then in bytes. */
  starts: { contender: string; ms: number; rss: number }[];
  /** The first is raw. */
  contenders: string[];
  operations: Operation[];
};

const columns = [
  ['operation', 'contender'],
  ['requests/s at 32', 'p50', 'p99'],
  ['server CPU', 'database CPU', 'both', 'statements'],
  ['requests/s at 1', 'p50 at 1', 'p99 at 1'],
  ['RSS MB', 'loop p99 ms'],
].flat();

/** The short table: each contender's share of raw's throughput at 32 connections. */
export function printShares(results: Results): string {
  const { contenders, operations } = results;
  const [raw = '', ...others] = contenders;
  const lines = operations.map((operation) => {
    const shares = others.map((name) => ofRaw(results, name, operation)?.toFixed(2) ?? '–');
    return [operation, `${Math.round(median(throughputs(results, raw, operation)))}/s`, ...shares];
  });
  return table(['operation', ...contenders], lines);
}

/**
 * A contender's share of raw's requests per second at 32 connections; null for an operation that it does not support.
 */
export function ofRaw(results: Results, contender: string, operation: Operation): number | null {
  const own = throughputs(results, contender, operation);
  return own.length > 0 ? share(own, throughputs(results, results.contenders[0] ?? '', operation)) : null;
}

/** The server's CPU for a request at 32 connections, in microseconds; null for an operation that was not measured. */
export function cpuOf({ slices }: Results, contender: string, operation: Operation): number | null {
  const all = valuesOf(slices.get(keyOf(contender, operation, 32)), ({ serverCpu }) => serverCpu);
  return all.length > 0 ? median(all) : null;
}

const throughputs = ({ slices }: Results, contender: string, operation: Operation): number[] =>
  valuesOf(slices.get(keyOf(contender, operation, 32)), ({ throughput }) => throughput);

/** Compares each round with raw's same round, so that disturbances of the machine affect both. */
const share = (own: number[], raw: number[]): number =>
  median(own.map((value, round) => value / (raw[round] ?? Number.NaN)));

/**
 * The full table: absolute figures for raw and multiples of raw for the others; statements, RSS and delay are absolute
 * for all.
 */
export function printTable(results: Results, operations = results.operations): string {
  const lines = operations.flatMap((operation) => {
    const names = results.contenders.filter((name) => results.slices.has(keyOf(name, operation, 32)));
    return names.map((name) => [name === names[0] ? operation : '', name, ...figures(results, operation, name)]);
  });
  return table(columns, lines);
}

function figures({ slices, findings, delays, contenders }: Results, operation: Operation, name: string): string[] {
  const [raw = ''] = contenders;
  const at = (concurrency: number, of: (slice: Slice) => number | null, print: (value: number) => string) => {
    const own = valuesOf(slices.get(keyOf(name, operation, concurrency)), of);
    const base = valuesOf(slices.get(keyOf(raw, operation, concurrency)), of);
    if (own.length === 0) return '–';
    if (name === raw || base.length === 0) return print(median(own));
    return share(own, base).toFixed(2);
  };
  const perSecond = (value: number) => `${Math.round(value)}/s`;
  const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
  const us = (value: number) => `${Math.round(value)} µs`;
  const finding = findings.get(name)?.get(operation);
  const largest = Math.max(...valuesOf(slices.get(keyOf(name, operation, 32)), ({ rss }) => rss));
  return [
    at(32, ({ throughput }) => throughput, perSecond),
    at(32, ({ p50 }) => p50, ms),
    at(32, ({ p99 }) => p99, ms),
    at(32, ({ serverCpu }) => serverCpu, us),
    at(32, ({ databaseCpu }) => databaseCpu, us),
    at(32, ({ serverCpu, databaseCpu }) => databaseCpu && serverCpu + databaseCpu, us),
    `${finding?.statements ?? '–'}${finding?.compiled ? ' (compiled)' : ''}`,
    at(1, ({ throughput }) => throughput, perSecond),
    at(1, ({ p50 }) => p50, ms),
    at(1, ({ p99 }) => p99, ms),
    (largest / 2 ** 20).toFixed(0),
    delays.get(keyOf(name, operation, 32))?.toFixed(1) ?? '–',
  ];
}

const valuesOf = (slices: Slice[] = [], of: (slice: Slice) => number | null): number[] =>
  slices.map(of).filter((value) => value !== null);

/** A table in Markdown. */
export function table(head: string[], lines: string[][]): string {
  const widths = head.map((title, index) =>
    Math.max(...[head, ...lines].map((line) => line[index]?.length ?? title.length)),
  );
  const row = (cells: string[]) =>
    `| ${cells.map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, index) => `${'-'.repeat(width + 1)}${index < 2 ? '-' : ':'}`).join('|')}|`;
  return [row(head), rule, ...lines.map(row)].join('\n');
}

/** Each contender's startup time, its memory then, and its largest under load. */
export function printStarts({ slices, starts }: Results): string {
  const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  const lines = starts.map(({ contender, ms, rss }) => {
    const under = [...slices].filter(([key]) => key.startsWith(`${contender} | `)).flatMap(([, own]) => own);
    return [
      contender,
      `${ms.toFixed(0)} ms`,
      mb(rss),
      under.length > 0 ? mb(Math.max(...under.map((slice) => slice.rss))) : '–',
    ];
  });
  return table(['contender', 'ready after', 'RSS MB then', 'under load'], lines);
}

/** The gateway's CPU profile in percent, for each operation that was profiled. */
export function printProfiles({ shares }: Results): string {
  const lines = [...shares].map(([operation, all]) => {
    const parts = all
      .filter(([, share]) => share >= 0.01)
      .map(([what, share]) => `${what} ${(100 * share).toFixed(0)}`);
    return `- **${operation}**: ${parts.join(', ')}`;
  });
  return lines.join('\n');
}

/** The breakdown of the gateway's memory, in MB. */
export const printParts = ({ parts }: Results): string =>
  parts.map(([what, bytes]) => `${what} ${Math.round(bytes / 2 ** 20)}`).join(', ');

/** What each operation is, for the reader of the table. */
export const printOperations = (names: Operation[]): string =>
  names.map((name) => `- **${name}**: ${operations[name]}`).join('\n');

/** The machine that the bench runs on. */
export function printMachine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory} GB, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
}

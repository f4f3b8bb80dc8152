import { keyOf, median } from './measure.ts';
import { isTurn, isWrite, type Operation } from './operations.ts';
import { cpuOf, ofRaw, type Results, table } from './report.ts';

/** The gateway's performance targets on a database. */
export type Goals = {
  /** Minimum shares of raw's requests per second at 32 connections. */
  read: number;
  write: number;
  turn: number;
  /** Maximum multiples of the CPU of a server: of raw's for a turn, and of its own for a point read. */
  turnCpu: { raw: number; point: number };
  /** Minimum multiple of PostGraphile's throughput, for reads; null if it does not take part. */
  postgraphile: number | null;
  /** Maximum startup time in milliseconds. */
  readyMs: number;
  /**
   * Maximum memory under load in bytes, and maximum event loop delay at half speed in milliseconds; null for no target.
   */
  rss: number | null;
  delayMs: number | null;
};

const turns = { turn: 0.35, turnCpu: { raw: 4, point: 8 } };

export const goalsOn: Record<'postgres' | 'embedded', Goals> = {
  postgres: { read: 0.85, write: 0.7, ...turns, postgraphile: 2, readyMs: 1_000, rss: 200 * 2 ** 20, delayMs: 20 },
  embedded: { read: 0.6, write: 0.6, ...turns, postgraphile: null, readyMs: 1_500, rss: null, delayMs: null },
};

const us = 'gateway';

/** The operations that miss their target. */
export const shortOf = (results: Results, goals: Goals): Operation[] =>
  results.operations.filter((operation) => (ofRaw(results, us, operation) ?? 1) < goalOf(goals, operation));

/** Whether memory under load exceeds its target. */
export const isTooLarge = (results: Results, { rss }: Goals): boolean => rss !== null && largestOf(results) > rss;

/** The largest memory under any load, in bytes. */
const largestOf = ({ slices }: Results): number =>
  Math.max(
    ...[...slices].filter(([key]) => key.startsWith(`${us} | `)).flatMap(([, own]) => own.map(({ rss }) => rss)),
  );

const goalOf = ({ read, write, turn }: Goals, operation: Operation): number =>
  isTurn(operation) ? turn : isWrite(operation) ? write : read;

/** Prints each target, the measured value, and by how much it is missed. */
export function printGoals(results: Results, goals: Goals): string {
  const { operations, starts, delays } = results;
  const shares = operations.map((operation): Line | null => {
    const share = ofRaw(results, us, operation);
    return share ? atLeast(`${operation}, of raw`, goalOf(goals, operation), share) : null;
  });
  const twice = operations.map((operation): Line | null => {
    const [own, theirs] = [us, 'PostGraphile 5'].map((name) => ofRaw(results, name, operation));
    if (!goals.postgraphile || isWrite(operation) || !own || !theirs) return null;
    const measuredLine = atLeast(`${operation}, of PostGraphile`, goals.postgraphile, own / theirs);
    // If most of the time is the database's, nobody gets much further: show raw's multiple too.
    return own / theirs < goals.postgraphile
      ? [...measuredLine.slice(0, 3), `${measuredLine[3]}; raw: ${(1 / theirs).toFixed(2)}`]
      : measuredLine;
  });
  const turns = operations.filter(isTurn).flatMap((operation): Line[] => {
    const own = cpuOf(results, us, operation);
    const [ofRaw, ofPoint] = [cpuOf(results, 'raw', operation), cpuOf(results, us, 'point')];
    return [
      ...(own && ofRaw ? [atMost(`${operation}, server CPU, of raw`, goals.turnCpu.raw, own / ofRaw)] : []),
      ...(own && ofPoint ? [atMost(`${operation}, server CPU, of point`, goals.turnCpu.point, own / ofPoint)] : []),
    ];
  });
  const latest = operations.map((operation) => delays.get(keyOf(us, operation, 32))).filter((delay) => delay != null);
  const ready = starts.filter(({ contender }) => contender === us).map(({ ms }) => ms);
  if (ready.length === 0) return 'The gateway took no part.';
  const others = [
    goals.rss && atMost('memory under load, MB', goals.rss / 2 ** 20, largestOf(results) / 2 ** 20),
    goals.delayMs &&
      latest.length > 0 &&
      atMost('event loop late at half speed, p99, ms', goals.delayMs, Math.max(...latest)),
    atMost('ready after, ms', goals.readyMs, median(ready)),
  ];
  const lines = [...shares, ...twice, ...turns, ...others].filter((line) => Array.isArray(line));
  return table(['goal', 'wanted', 'measured', ''], lines);
}

type Line = string[];

const atLeast = (what: string, wanted: number, measured: number): Line =>
  line(what, `≥ ${wanted}`, measured.toFixed(2), measured >= wanted ? 0 : 1 - measured / wanted);

const atMost = (what: string, wanted: number, measured: number): Line =>
  line(what, `≤ ${wanted}`, measured.toFixed(measured < 100 ? 1 : 0), measured <= wanted ? 0 : measured / wanted - 1);

const line = (what: string, wanted: string, measured: string, missed: number): Line => [
  what,
  wanted,
  measured,
  missed === 0 ? 'reached' : `missed by ${Math.ceil(missed * 100)} %`,
];

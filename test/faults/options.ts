import { parseArgs } from 'node:util';
import type { DatabaseName } from './types.ts';

export type Options = {
  /** Names of scenarios; empty means all. */
  only: string[];
  databases: DatabaseName[];
  /** How long the load lasts during a fault. */
  seconds: number;
  /** After this time, remaining scenarios are skipped and the run fails. */
  minutes: number;
  seed: number;
  list: boolean;
  log: string;
};

export const usage = `Injects faults into gateways of its own and counts what is lost, doubled or answered wrong.

  npm run test:faults -- [--only <names>] [--database embedded|postgres] [--seconds 12] [--minutes 40] [--seed <number>]

--only     names of faults, comma-separated; --list prints them
--seconds  how long each fault is under load
--minutes  when the run is cut short, which fails it
--seed     of the random moments: a run prints its own
--log      the level at which the gateways log to standard error (silent)`;

export class UsageError extends Error {
  override name = 'UsageError';
}

const flags = {
  only: { type: 'string', default: '' },
  database: { type: 'string', default: 'embedded,postgres' },
  seconds: { type: 'string', default: '12' },
  minutes: { type: 'string', default: '40' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
  log: { type: 'string', default: 'silent' },
  list: { type: 'boolean', default: false },
} as const;

/** Reads the command line. Throws `UsageError`. */
export function readOptions(args: string[], names: string[]): Options {
  const values = valuesOf(args);
  return {
    only: among(values.only, names, '--only'),
    databases: among(values.database, ['embedded', 'postgres'], '--database') as DatabaseName[],
    seconds: whole(values.seconds, '--seconds'),
    minutes: whole(values.minutes, '--minutes'),
    seed: whole(values.seed, '--seed'),
    list: values.list,
    log: values.log,
  };
}

function valuesOf(args: string[]) {
  try {
    return parseArgs({ args, options: flags }).values;
  } catch (error) {
    throw new UsageError(String(error));
  }
}

function among(given: string, known: string[], name: string): string[] {
  const words = given.split(',').filter(Boolean);
  const strange = words.find((word) => !known.includes(word));
  if (strange !== undefined) throw new UsageError(`${name}: ${strange} is none of ${known.join(', ')}`);
  return words;
}

function whole(given: string, name: string): number {
  if (!/^\d{1,9}$/.test(given)) throw new UsageError(`${name}: must be a whole number, got ${given}`);
  return Number(given);
}

import { parseArgs } from 'node:util';
import type { Contender } from './contender.ts';
import { scales } from './data/database.ts';
import { operationNames } from './operations.ts';

export const usage = `npm run bench -- [flags]

  --small               little data, one short round: does everyone answer, and the same? Fails if not
  --quick               the shares of raw and of PostGraphile, on PostgreSQL, in 4 minutes
  --conversations <n>   how much data (${scales.full}; messages are ten times as many)
  --rounds <n>          how often everything is measured (3)
  --seconds <s>         how long each time (2)
  --only <operations>   parts of the names of operations, with commas between
  --against <names>     parts of the names of contenders, with commas between; raw always takes part
  --on <database>       postgres, embedded, both (both), or citus: the gateway on a cluster, beside one on one server
  --fresh               make the data anew
  --profile             write CPU profiles of the gateway into bench/.data/profiles
  --note <text>         what the reader of the results should know of the run
  --write               write the page into bench/RESULTS.md, as a whole run without other flags than --rounds, --seconds and --note does

Each table is printed once its figures stand. The page with all that stands is in bench/.data/results.md at any time, also after
an interruption.

BENCH_DATABASE_URL names a PostgreSQL server (postgres://postgres@127.0.0.1:5432/postgres) where databases can be made. With
--on citus, BENCH_CITUS names the ports of a coordinator and its nodes on the same host (5433,5434,5435), whose servers have
the extension and trust each other.`;

/** How thoroughly a run measures. */
type Depth = {
  conversations: number;
  rounds: number;
  seconds: number;
  concurrencies: number[];
  /** How many variants of each operation there are, and how many answers are compared with raw's. */
  variants: number;
  checked: number;
  /**
   * Whether statements are counted, and delays of event loops, profiles and the cost around compiled queries measured.
   */
  watched: boolean;
  /** The names of the contenders that take part beside raw; null for all. */
  contenders: string[] | null;
  on: string;
};

/** Two dozen variants cover every workspace and two dozen agents, six every workspace. */
const whole: Depth = {
  conversations: scales.full,
  rounds: 3,
  seconds: 2,
  concurrencies: [1, 32],
  variants: 120,
  checked: 24,
  watched: true,
  contenders: null,
  on: 'both',
};
const quick: Depth = {
  ...whole,
  seconds: 1,
  concurrencies: [32],
  checked: 6,
  watched: false,
  contenders: ['gateway', 'PostGraphile 5'],
  on: 'postgres',
};
const small: Depth = {
  ...quick,
  conversations: scales.small,
  variants: 6,
  rounds: 1,
  seconds: 0.1,
  contenders: null,
  on: 'both',
};

export type Flags = ReturnType<typeof readFlags>;

export function readFlags(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      small: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      conversations: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string', default: '' },
      against: { type: 'string', default: '' },
      on: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      note: { type: 'string', default: '' },
      write: { type: 'boolean' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const depth = values.small ? small : values.quick ? quick : whole;
  const { only, against, on = depth.on } = values;
  const isNamed = (list: string) => (name: string) =>
    list === '' || list.split(',').some((part) => name.toLowerCase().includes(part.trim().toLowerCase()));
  const isWhole = depth === whole && only === '' && against === '' && on === 'both';
  return {
    ...depth,
    ...values,
    on,
    conversations: Number(values.conversations ?? depth.conversations),
    rounds: Number(values.rounds ?? depth.rounds),
    seconds: Number(values.seconds ?? depth.seconds),
    write: values.write ?? isWhole,
    operations: operationNames.filter(isNamed(only)),
    takesPart: ({ name }: Contender) =>
      name === 'raw' || (against === '' ? (depth.contenders?.includes(name) ?? true) : isNamed(against)(name)),
  };
}

import {
  type CountUpTo,
  countOrEstimate,
  countPrecisions,
  countUpTo,
  limitOfCount,
  maxCount,
} from '../../src/database/query/count.ts';
import { builder } from '../builder.ts';

/** How a connection counts its rows: exactly, up to a limit, and as an estimate. */
export type Counts = {
  all: () => number | Promise<number>;
  atMost: (rows: number) => Promise<number>;
  /** Null if there is no estimate. */
  about: () => Promise<number | null>;
};

const CountPrecision = builder.enumType('CountPrecision', {
  description: 'How much a count says.',
  values: {
    [countPrecisions.exact]: { description: 'The list has just so many rows.' },
    [countPrecisions.atLeast]: { description: 'The list has more: counting stopped there.' },
    [countPrecisions.estimate]: { description: 'The list has about so many, and more than the limit.' },
  } as const,
});

const ListCount = builder.objectRef<CountUpTo>('ListCount').implement({
  description: 'How many rows a list has, as far as they were counted.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How many rows were counted, or are estimated.' }),
    precision: t.expose('precision', { type: CountPrecision, description: 'Whether the list has more.' }),
  }),
});

/** The counting fields of a connection. */
export const countFields = (t: never) => ({
  totalCount: (t as Fields).int({
    description:
      'How many rows the whole list has, whatever the page: exact, and counted only when asked for. That takes longer ' +
      'the more there are; `countUpTo` does not.',
    resolve: ({ counts }) => counts.all(),
  }),
  countUpTo: (t as Fields).field({
    type: ListCount,
    nullable: true,
    description: 'How many rows the whole list has, whatever the page, counted no further than to a limit.',
    // Counting a row costs a hundredth of returning it.
    complexity: ({ limit }: { limit: number }) => ({ field: Math.ceil(Math.min(Math.max(limit, 1), maxCount) / 100) }),
    args: builder.args((a) => ({
      limit: a.int({
        required: true,
        defaultValue: 1_000,
        description: `How many rows to count at most, 1 to ${maxCount}.`,
      }),
      estimate: a.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to tell about how many rows there are when there are more than the limit, as the statistics of the ' +
          'database know it: at the same cost for any number. Only a whole list of a large workspace is estimated: one ' +
          'that is filtered, searched or of another row is `at_least`, since the statistics of values are not kept by ' +
          'workspace.',
      }),
    })),
    resolve: async ({ counts }, { limit, estimate }: { limit: number; estimate: boolean }) => {
      const most = limitOfCount(limit);
      const counted = countUpTo(await counts.atMost(most + 1), most);
      if (!estimate || counted.precision === countPrecisions.exact) return counted;
      return countOrEstimate(counted, await counts.about());
    },
  }),
});

type Fields = { int: Make; field: Make };
type Make = (options: {
  resolve(connection: { counts: Counts }, args: never): unknown;
  [option: string]: unknown;
}) => never;

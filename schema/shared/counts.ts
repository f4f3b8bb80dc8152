import { value } from '../../src/core/value-kinds.ts';
import { complexity } from '../../src/graphql/price/index.ts';
import {
  type CountUpTo,
  countOrEstimate,
  countPrecisions,
  countUpTo,
  limitOfCount,
  maxCount,
} from '../../src/lists/count.ts';
import { builder } from '../builder.ts';
import type { AnyField } from './any-field.ts';

/** How a connection counts its rows: exactly, up to a limit, and as an estimate. */
export type Counts = {
  all: () => number | Promise<number>;
  atMost: (rows: number) => Promise<number>;
  /** Null if there is no estimate. */
  about: () => Promise<number | null>;
};

const CountPrecision = builder.enumType('CountPrecision', {
  description: 'How precise a count is.',
  values: {
    [countPrecisions.exact]: { description: 'The list has exactly this many rows.' },
    [countPrecisions.atLeast]: { description: 'The list has more rows: counting stopped at the limit.' },
    [countPrecisions.estimate]: { description: 'The list has approximately this many rows, and more than the limit.' },
  } as const,
});

const ListCount = builder.objectRef<CountUpTo>('ListCount').implement({
  description: 'The number of rows in a list, counted up to a limit.',
  fields: (t) => ({
    count: t.exposeInt('count', { extensions: value('count'), description: 'Number of rows counted or estimated.' }),
    precision: t.expose('precision', {
      type: CountPrecision,
      description: 'Whether the count is exact, a lower bound or an estimate.',
    }),
  }),
});

/** The counting fields of a connection. */
export const countFields = (t: unknown) => ({
  totalCount: (t as Fields).int({
    extensions: value('count'),
    description:
      'Exact number of rows in the whole list, regardless of the page. Counted only when selected, which takes ' +
      'longer the more rows there are; `countUpTo` does not.',
    resolve: ({ counts }) => counts.all(),
  }),
  countUpTo: (t as Fields).field({
    type: ListCount,
    nullable: true,
    description: 'Number of rows in the whole list, regardless of the page, counted only up to a limit.',
    // Counting a row costs a hundredth of returning it.
    extensions: complexity(({ limit }: { limit: number }) => ({
      field: Math.ceil(Math.min(Math.max(limit, 1), maxCount) / 100),
    })),
    args: builder.args((a) => ({
      limit: a.int({
        required: true,
        defaultValue: 1_000,
        description: `The maximum number of rows to count, from 1 to ${maxCount}.`,
      }),
      estimate: a.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to return an estimate if there are more rows than the limit, from the statistics of the ' +
          'database, at the same cost for any number of rows. Only the whole list of a large workspace is ' +
          'estimated: a list that is filtered, searched or nested in another row is `at_least`, since the ' +
          'statistics of values are not kept per ' +
          'workspace.',
      }),
    })),
    resolve: async ({ counts }, { limit, estimate }: { limit: number; estimate: boolean }) => {
      const max = limitOfCount(limit);
      const counted = countUpTo(await counts.atMost(max + 1), max);
      if (!estimate || counted.precision === countPrecisions.exact) return counted;
      return countOrEstimate(counted, await counts.about());
    },
  }),
});

type Fields = { int: Make; field: Make };
type Make = (options: {
  resolve(connection: { counts: Counts }, args: never): unknown;
  [option: string]: unknown;
}) => AnyField;

import DataLoader from 'dataloader';
import type { Context } from '../src/context.ts';
import {
  type CountUpTo,
  countOrEstimate,
  countPrecisions,
  countUpTo,
  limitOfCount,
  maxCount,
} from '../src/database/count.ts';
import type { Where } from '../src/database/list.ts';
import { builder } from './builder.ts';
import { delegateOf } from './delegate.ts';
import { getDatamodel } from './generated/prisma.ts';

/** What a connection must know to count its rows: all of them, no more than so many, and about how many there are. */
export type Counts = {
  all: () => number | Promise<number>;
  atMost: (rows: number) => Promise<number>;
  /** Null when nothing is known. */
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

/** The fields by which a connection tells how many rows its list has. */
export const countFields = (t: never) => ({
  totalCount: (t as Fields).int({
    description:
      'How many rows the whole list has, whatever the page: exact, and counted only when asked for. That takes longer ' +
      'the more there are; `countUpTo` does not.',
    resolve: ({ counts }) => counts.all(),
  }),
  countUpTo: (t as Fields).field({
    type: ListCount,
    description: 'How many rows the whole list has, whatever the page, counted no further than to a limit.',
    // A row that is only counted costs a hundredth of one that is answered.
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

/** Rows of other rows, to be counted: those of a relation that meet a condition, and no more than so many. */
export type Related = { model: string; relation: string; where: Where; most: number };

const loaders = new WeakMap<Context, Map<string, DataLoader<string, number>>>();

/** How many rows belong to a row; asked for many rows of a request at once, in one statement. */
export function countRelated(context: Context, related: Related, id: string): Promise<number> {
  const known = loaders.get(context) ?? new Map<string, DataLoader<string, number>>();
  loaders.set(context, known);
  const key = JSON.stringify(related);
  const loader = known.get(key) ?? new DataLoader<string, number>((ids) => countEach(context, related, ids));
  known.set(key, loader);
  return loader.load(id);
}

async function countEach(context: Context, related: Related, ids: readonly string[]): Promise<number[]> {
  const { model, relation, where, most } = related;
  const counted = { where, take: most, select: { workspaceId: true } };
  const rows = await delegateOf(context, model).findMany({
    where: { id: { in: ids }, ...(isOfWorkspace(model) && { workspaceId: context.viewer.workspaceId }) },
    select: { id: true, [relation]: counted },
  });
  const counts = new Map(rows.map((row) => [row.id as string, (row[relation] as unknown[]).length]));
  return ids.map((id) => counts.get(id) ?? 0);
}

const isOfWorkspace = (model: string) =>
  (getDatamodel() as unknown as Datamodel).datamodel.models[model]?.fields.some(({ name }) => name === 'workspaceId');
type Datamodel = { datamodel: { models: Record<string, { fields: { name: string }[] }> } };

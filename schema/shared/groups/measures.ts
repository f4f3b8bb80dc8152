import { columnOf } from '../../../src/compiled/groups/index.ts';
import { type Aggregate, aggregates, type Measure } from '../../../src/database/query/group.ts';
import type { ListRule } from '../../../src/database/query/list.ts';
import { builder } from '../../builder.ts';
import { getDatamodel } from '../../generated/prisma.ts';
import type { AnyGroupTexts } from './texts.ts';
import { countId, measureId, type Told, valueIn } from './told.ts';

type Of = { aggregate: Aggregate; told: Told };
type Make = (options: object) => unknown;
type MeasureTypes = { fields: (t: unknown, toldOf: (parent: never) => Told) => Record<string, unknown> };

const aggregateTexts: Record<Aggregate, string> = {
  distinct: 'How many different values there are.',
  sum: 'The sums; null where no row has a value.',
  avg: 'The averages of those that have a value; null where none has.',
  min: 'The smallest or earliest values; null where no row has one.',
  max: 'The largest or latest values; null where no row has one.',
  p50: 'The medians: values that half of those that have one do not exceed; null where no row has one.',
  p95: 'The values that 95 of 100 of those that have one do not exceed; null where no row has one.',
};

/** What is measured by which aggregate: `LeadGroupDistinct`, `LeadGroupSums`, `LeadGroupValues`. */
export function defineMeasures(name: string, rule: ListRule, texts: AnyGroupTexts, filter: unknown): MeasureTypes {
  const { numbers = [], distinct = [], moments = [] } = rule.groups ?? {};
  const typeOf = (column: string) => columnOf(getDatamodel() as never, rule.model, column).type;
  const define = (kind: string, description: string, columns: readonly string[], type: (column: string) => string) =>
    columns.length === 0
      ? null
      : builder.objectRef<Of>(`${name}Group${kind}`).implement({
          description,
          fields: (t) =>
            Object.fromEntries(
              columns.map((column) => [
                column,
                (t as unknown as { field: Make }).field({
                  type: type(column),
                  nullable: kind !== 'Distinct',
                  description: texts.numbers?.[column] ?? texts.distinct?.[column] ?? texts.moments[column],
                  resolve: ({ aggregate, told }: Of) => read(valueIn(told, measureId(aggregate, column)), type(column)),
                }),
              ]),
            ) as never,
        });
  const types = {
    distinct: define('Distinct', `Columns of ${name} rows whose different values are counted.`, distinct, () => 'Int'),
    sums: define('Sums', `Numbers of ${name} rows, added up or averaged.`, numbers, () => 'Float'),
    values: define('Values', `Numbers and moments of ${name} rows.`, [...numbers, ...moments], typeOf),
  };
  const typeOfAggregate = (aggregate: Aggregate) =>
    aggregate === 'distinct' ? types.distinct : aggregate === 'sum' || aggregate === 'avg' ? types.sums : types.values;
  return {
    fields: (t, toldOf) => {
      const make = (t as { field: Make }).field.bind(t);
      return {
        count: countField(make, filter, toldOf as (parent: unknown) => Told),
        ...Object.fromEntries(
          aggregates.flatMap((aggregate) => {
            const type = typeOfAggregate(aggregate);
            if (!type) return [];
            const resolve = (parent: never): Of => ({ aggregate, told: toldOf(parent) });
            return [[aggregate, make({ type, description: aggregateTexts[aggregate], resolve })]];
          }),
        ),
      };
    },
  };
}

const read = (value: number | null, type: string): unknown =>
  type === 'DateTime' && value !== null ? new Date(value) : value;

function countField(make: Make, filter: unknown, toldOf: (parent: unknown) => Told): unknown {
  const args = builder.args((a) => ({
    filter: a.field({ type: filter as never, description: 'Which of its rows to count; all of them when left out.' }),
  }));
  return make({
    type: 'Int',
    description: 'How many rows it has, or how many of them meet a filter.',
    ...(filter ? { args } : {}),
    resolve: (parent: unknown, { filter: given }: { filter?: unknown }) => valueIn(toldOf(parent), countId(given)) ?? 0,
  });
}

/** What groups can be sorted by, by its name in the enumeration: its keys, the count, and each aggregate of each column. */
export function sortedBy(rule: ListRule): Map<string, 'keys' | Measure> {
  const { numbers = [], distinct = [], moments = [] } = rule.groups ?? {};
  const columns = (aggregate: Aggregate) =>
    aggregate === 'distinct'
      ? distinct
      : aggregate === 'sum' || aggregate === 'avg'
        ? numbers
        : [...numbers, ...moments];
  return new Map<string, 'keys' | Measure>([
    ['by', 'keys'],
    ['count', { id: countId(null), aggregate: 'count', filter: null }],
    ...aggregates.flatMap((aggregate) =>
      columns(aggregate).map((column): [string, Measure] => [
        `${aggregate}${column.slice(0, 1).toUpperCase()}${column.slice(1)}`,
        { id: measureId(aggregate, column), aggregate, column },
      ]),
    ),
  ]);
}

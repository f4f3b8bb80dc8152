import type { InputRef } from '@pothos/core';
import { type ValueKind, value } from '../../../src/core/value-kinds.ts';
import { type Aggregate, aggregates } from '../../../src/lists/group.ts';
import { columnOf, countId, measureId } from '../../../src/lists/groups/index.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import { builder } from '../../builder.ts';
import { type AnyField, fieldOf, type MakeField } from '../any-field.ts';
import { datamodel } from '../datamodel.ts';
import { type Measurements, valueIn } from './measurements.ts';
import { type RatioTypes, ratioField } from './ratio.ts';
import type { AnyGroupTexts } from './texts.ts';

type Of = { aggregate: Aggregate; measurements: Measurements };
type MeasureTypes = {
  fields: (t: unknown, of: (parent: never) => Measurements) => Record<string, AnyField>;
  /** The fields of running totals, which only numbers that add up have. */
  cumulative: (t: unknown) => Record<string, AnyField>;
};

const aggregateTexts: Record<Aggregate, string> = {
  distinct: 'Number of distinct values.',
  sum: 'Sums of the values. `null` if no row has a value.',
  avg: 'Averages of the rows that have a value. `null` if no row has one.',
  min: 'Smallest or earliest values. `null` if no row has one.',
  max: 'Largest or latest values. `null` if no row has one.',
  p50: 'Medians: half of the existing values do not exceed them. `null` if no row has a value.',
  p95: '95th percentiles: 95% of the existing values do not exceed them. `null` if no row has a value.',
};

const kinds: Record<Aggregate, ValueKind> = {
  distinct: 'distinct',
  sum: 'sum',
  avg: 'average',
  min: 'minimum',
  max: 'maximum',
  p50: 'percentile',
  p95: 'percentile',
};

/** Declares the types of each kind of aggregate: `LeadGroupDistinct`, `LeadGroupSums`, `LeadGroupValues`. */
export function defineMeasures(name: string, rule: ListRule, texts: AnyGroupTexts, ratio: RatioTypes): MeasureTypes {
  const { numbers = [], distinct = [], moments = [], units = {} } = rule.groups ?? {};
  const typeOf = (column: string) => columnOf(datamodel, rule.model, column).type;
  const define = (kind: string, description: string, columns: readonly string[], type: (column: string) => string) =>
    columns.length === 0
      ? null
      : builder.objectRef<Of>(`${name}Group${kind}`).implement({
          description,
          fields: (t) =>
            Object.fromEntries(
              columns.map((column) => [
                column,
                fieldOf(t)({
                  type: type(column),
                  nullable: kind !== 'Distinct',
                  description: texts.numbers?.[column] ?? texts.distinct?.[column] ?? texts.moments[column],
                  extensions: value(undefined, kind === 'Distinct' ? undefined : units[column]),
                  resolve: ({ aggregate, measurements }: Of) =>
                    read(valueIn(measurements, measureId(aggregate, column)), type(column)),
                }),
              ]),
            ),
        });
  const types = {
    distinct: define('Distinct', `Number of distinct values of columns of ${name} rows.`, distinct, () => 'Int'),
    sums: define('Sums', `Sums or averages of numbers of ${name} rows.`, numbers, () => 'Float'),
    values: define('Values', `Numbers and dates of ${name} rows.`, [...numbers, ...moments], typeOf),
  };
  const typeOfAggregate = (aggregate: Aggregate) =>
    aggregate === 'distinct' ? types.distinct : aggregate === 'sum' || aggregate === 'avg' ? types.sums : types.values;
  return {
    fields: (t, of) => {
      const make = fieldOf(t);
      return {
        count: countField(make, ratio.filter, of as (parent: unknown) => Measurements),
        ratio: ratioField(make, rule, ratio, of as (parent: unknown) => Measurements),
        ...Object.fromEntries(
          aggregates.flatMap((aggregate) => {
            const type = typeOfAggregate(aggregate);
            if (!type) return [];
            const resolve = (parent: never): Of => ({ aggregate, measurements: of(parent) });
            const extensions = value(kinds[aggregate]);
            return [[aggregate, make({ type, description: aggregateTexts[aggregate], extensions, resolve })]];
          }),
        ),
      };
    },
    cumulative: (t) => {
      const make = fieldOf(t);
      const extensions = value('cumulative');
      const resolve = (measurements: Measurements): Of => ({ aggregate: 'sum', measurements });
      const sum = {
        type: types.sums,
        description: 'Sums of the values so far. `null` if no row so far has one.',
        extensions,
        resolve,
      };
      return {
        count: countField(make, ratio.filter, (parent) => parent as Measurements, 'cumulative'),
        ...(types.sums ? { sum: make(sum) } : {}),
      };
    },
  };
}

const read = (value: number | null, type: string): unknown =>
  type === 'DateTime' && value !== null ? new Date(value) : value;

const countSoFar = 'Number of rows so far, or number of rows so far that match a filter.';

function countField(
  make: MakeField,
  filter: InputRef | null,
  of: (parent: unknown) => Measurements,
  kind: ValueKind = 'count',
): AnyField {
  const description = 'Which rows of the group to count. Defaults to all.';
  const args = filter && builder.args((a) => ({ filter: a.field({ type: filter, description }) }));
  return make({
    type: 'Int',
    description: kind === 'cumulative' ? countSoFar : 'Number of rows, or number of rows that match a filter.',
    extensions: value(kind),
    ...(args && { args }),
    resolve: (parent: unknown, { filter: given }: { filter?: unknown }) => valueIn(of(parent), countId(given)) ?? 0,
  });
}

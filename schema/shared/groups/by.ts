import type { InputRef } from '@pothos/core';
import { getRefFromModel, queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../../src/context.ts';
import { value } from '../../../src/core/value-kinds.ts';
import { type Dimension, weekdays } from '../../../src/lists/group.ts';
import { type KeyValue, keyId, mayLack } from '../../../src/lists/groups/index.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import { builder } from '../../builder.ts';
import { type AnyField, fieldOf, type MakeField } from '../any-field.ts';
import { datamodel } from '../datamodel.ts';
import { readRow } from '../row-loaders.ts';
import { DayOfWeek, NumberRange, TimeBucket, TimeUnit, timeZoneText } from './common.ts';
import type { AnyGroupTexts, KeyText } from './texts.ts';

/** The keys of a group, by the ids of the selected fields. */
export type Keys = {
  index: ReadonlyMap<string, number>;
  values: readonly KeyValue[];
};

/** Declares the type `LeadGroupBy`: the keys of a group, which are the fields selected of it. */
export function defineBy(name: string, rule: ListRule, texts: AnyGroupTexts): unknown {
  const { moments = ['createdAt'], by = {} } = rule.groups ?? {};
  const moment = builder.enumType(`${name}GroupMoment`, {
    description: `The dates of ${name} rows that can be grouped by hour of day or day of week.`,
    values: Object.fromEntries(moments.map((column) => [column, { description: texts.moments[column] ?? '' }])),
  });
  const numbers = (rule.groups?.numbers ?? []).map((column) => [column, { description: texts.numbers?.[column] }]);
  const number =
    numbers.length > 0 &&
    builder.enumType(`${name}GroupRangeOf`, {
      description: `The numbers of ${name} rows that can be grouped by ranges.`,
      values: Object.fromEntries(numbers),
    });
  return builder.objectRef<Keys>(`${name}GroupBy`).implement({
    description: `The keys of a group of ${name} rows: rows are grouped by the fields selected here.`,
    fields: (t) => {
      const make = fieldOf(t);
      return {
        ...Object.fromEntries(moments.map((column) => [column, spanField(make, texts.moments[column] ?? '')])),
        ...clockFields(make, moment, moments[0]),
        ...(number ? { range: rangeField(make, number) } : {}),
        ...Object.fromEntries(
          Object.entries(by).map(([key, dimension]) => {
            const text = texts.by[key];
            if (!text) throw new Error(`the groups of ${name} have no text for ${key}`);
            return [key, dimensionField(make, rule.model, dimension, text)];
          }),
        ),
      };
    },
  });
}

const keyIn = ({ index, values }: Keys, { fieldName }: GraphQLResolveInfo, args: object) =>
  values[index.get(keyId(fieldName, args)) ?? -1] ?? null;

type Arguments = Parameters<Parameters<typeof builder.args>[0]>[0];
const zoneArgument = (a: Arguments) => a.string({ required: true, defaultValue: 'UTC', description: timeZoneText });

function spanField(make: MakeField, text: string): AnyField {
  return make({
    type: TimeBucket,
    description: `${text} Grouped by spans of time.`,
    args: builder.args((a) => ({
      every: a.field({ type: TimeUnit, required: true, description: 'Length of each time span.' }),
      timeZone: zoneArgument(a),
      weekStart: a.field({
        type: DayOfWeek,
        required: true,
        defaultValue: 'monday',
        description: 'First day of the week. Has no effect on other units.',
      }),
      fill: a.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to include spans without rows, for each combination of the other keys that occurs. The filter ' +
          'must then limit the time at both ends, at its top level or in `and`.',
      }),
    })),
    resolve: (keys: Keys, args: object, _context: Context, info: GraphQLResolveInfo) => {
      const [from, to, partial] = keyIn(keys, info, args) as [number, number, boolean];
      return { from: new Date(from), to: new Date(to), partial };
    },
  });
}

function clockFields(make: MakeField, moment: InputRef, usual: string): Record<string, AnyField> {
  const args = builder.args((a) => ({
    of: a.field({
      type: moment,
      required: true,
      defaultValue: usual,
      description: 'The timestamp to use.',
    }),
    timeZone: zoneArgument(a),
  }));
  return {
    hourOfDay: make({
      type: 'Int',
      description: 'Hour of the day in `timeZone`, 0 to 23.',
      extensions: value('hourOfDay'),
      args,
      resolve: (keys: Keys, given: object, _context: Context, info: GraphQLResolveInfo) =>
        Number(keyIn(keys, info, given)),
    }),
    dayOfWeek: make({
      type: DayOfWeek,
      description: 'Day of the week in `timeZone`.',
      args,
      resolve: (keys: Keys, given: object, _context: Context, info: GraphQLResolveInfo) =>
        weekdays[Number(keyIn(keys, info, given)) - 1],
    }),
  };
}

function rangeField(make: MakeField, number: InputRef): AnyField {
  return make({
    type: NumberRange,
    nullable: true,
    description:
      'Range of a number, for a histogram: of the same `width`, from 0 on and below, or between `bounds`. `null` for rows ' +
      'without the number.',
    args: builder.args((a) => ({
      of: a.field({ type: number, required: true, description: 'The number.' }),
      width: a.float({ description: 'The width of each range, more than 0.' }),
      bounds: a.floatList({
        description:
          'Up to 100 ascending numbers, each of which begins a range. Smaller numbers are in a range without `from`.',
      }),
      fill: a.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to include ranges without rows, from the first range with rows to the last, for each combination of ' +
          'the other keys that occurs.',
      }),
    })),
    resolve: (keys: Keys, args: object, _context: Context, info: GraphQLResolveInfo) => {
      const ends = keyIn(keys, info, args) as [number | null, number | null] | null;
      return ends && { from: ends[0], to: ends[1] };
    },
  });
}

function dimensionField(
  make: MakeField,
  model: string,
  dimension: Dimension,
  { type, description }: KeyText,
): AnyField {
  const nullable = mayLack(datamodel, model, dimension);
  const text = (keys: Keys, args: object, _context: Context, info: GraphQLResolveInfo) => keyIn(keys, info, args);
  switch (dimension.kind) {
    case 'value': {
      const isTruth = type === 'Boolean';
      const truth = (value: ReturnType<typeof text>) => (value === null ? null : value === 'true');
      return make({
        type: type ?? 'String',
        nullable,
        description,
        resolve: isTruth ? (...of: Parameters<typeof text>) => truth(text(...of)) : text,
      });
    }
    case 'present':
      return make({
        type: 'Boolean',
        description,
        resolve: (...of: Parameters<typeof text>) => text(...of) === 'true',
      });
    case 'key':
      return make({
        type: 'String',
        nullable: true,
        description,
        args: builder.args((a) => ({
          key: a.string({ required: true, description: 'The key to group by. Its value is returned as text.' }),
        })),
        resolve: text,
      });
    case 'related':
      return make({
        type: getRefFromModel(dimension.model, builder),
        nullable,
        description,
        resolve: (keys: Keys, args: object, context: Context, info: GraphQLResolveInfo) => {
          const id = keyIn(keys, info, args) as string | null;
          const selection = queryFromInfo({ context, info });
          return id === null ? null : readRow(context, { model: dimension.model, selection }, id);
        },
      });
  }
}

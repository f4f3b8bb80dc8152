import type { InputFieldMap, InputRef } from '@pothos/core';
import { type KindOf, value } from '../../../src/core/value-kinds.ts';
import type { GroupRule } from '../../../src/lists/group.ts';
import { numbersOf, type RatioArguments, ratio, ratioOf } from '../../../src/lists/groups/index.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import { builder } from '../../builder.ts';
import { type AnyField, fieldOf, type MakeField } from '../any-field.ts';
import { numberOperators } from '../filter-types.ts';
import { described } from './described.ts';
import { type Measurements, valueIn } from './measurements.ts';
import type { AnyGroupTexts } from './texts.ts';

/** The types that a ratio is named by: the enum of numbers, and the filter of rows. */
export type RatioTypes = { number: InputRef; filter: InputRef | null };

/** Declares the enum `LeadGroupNumber`: the measures that a ratio is made of. */
export function defineNumber(name: string, { groups }: ListRule, texts: AnyGroupTexts): InputRef {
  const numbers = groups ? [...numbersOf(groups).keys()] : [];
  return builder.enumType(`${name}GroupNumber`, {
    description: `The numbers of a group of ${name} rows that can be divided by one another.`,
    values: Object.fromEntries(numbers.map((field) => [field, { description: described(field, texts) }])),
  });
}

/** The arguments that name a ratio, or the fields of an input. */
function partsIn(make: MakeField, { number, filter }: RatioTypes): InputFieldMap {
  const filtered = (type: InputRef, what: string) =>
    make({ type, description: `Which rows \`${what}: count\` counts. Defaults to all.` });
  const parts = {
    of: make({ type: number, required: true, description: 'The number to divide.' }),
    to: make({
      type: number,
      required: true,
      defaultValue: 'count',
      description: 'The number to divide it by.',
    }),
    ...(filter ? { ofFilter: filtered(filter, 'of'), toFilter: filtered(filter, 'to') } : {}),
  };
  return parts as unknown as InputFieldMap;
}

/** Rows divided by all rows of the group. */
const shareOfRows: KindOf = (argument) => {
  const {
    of,
    to = 'count',
    toFilter = 'null',
  } = Object.fromEntries(['of', 'to', 'toFilter'].map((name) => [name, argument(name)]));
  return of === 'count' && to === 'count' && toFilter === 'null' ? 'share' : undefined;
};

export function ratioField(
  make: MakeField,
  { groups }: ListRule,
  types: RatioTypes,
  of: (parent: unknown) => Measurements,
): AnyField {
  return make({
    type: 'Float',
    nullable: true,
    description:
      'One measure divided by another, such as the share of rows that match a filter, or a sum by the number of distinct ' +
      'values. `null` if the divisor is 0, or one of the two is `null`.',
    extensions: { ...value('ratio'), parleyKindOf: shareOfRows },
    args: builder.args((a) => partsIn(fieldOf(a), types)),
    resolve: (parent: unknown, given: RatioArguments) => {
      const measured = of(parent);
      const parts = ratioOf(groups as GroupRule, given);
      return ratio(valueIn(measured, parts.of.id), valueIn(measured, parts.to.id));
    },
  });
}

/** Declares the input type `LeadGroupRatio`: a ratio to order groups by. */
export const defineRatio = (name: string, types: RatioTypes): InputRef =>
  builder.inputType(`${name}GroupRatio`, {
    description: `One measure of a group of ${name} rows divided by another, with the arguments of \`ratio\`.`,
    fields: (t) => partsIn(fieldOf(t), types),
  });

/** Declares the input type `LeadGroupRatioFilter`: conditions on a ratio of groups. */
export const defineRatioFilter = (name: string, types: RatioTypes): InputRef =>
  builder.inputType(`${name}GroupRatioFilter`, {
    description:
      `Conditions on one measure of a group of ${name} rows divided by another, which is named like \`ratio\`. All of ` +
      'them must match. A ratio without a value matches `isNull` only.',
    fields: (t) => ({ ...partsIn(fieldOf(t), types), ...numberOperators(t, 'Float') }),
  });

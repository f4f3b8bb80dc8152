import type { InputRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../../src/context.ts';
import { complexityOfPage } from '../../../src/graphql/price/index.ts';
import { type GroupRule, isCount, type Measure, maxGroups } from '../../../src/lists/group.ts';
import {
  columnOf,
  type GroupArguments,
  havingFilters,
  orderFields,
  typeOfMeasure,
} from '../../../src/lists/groups/index.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import { defaultPageSize } from '../../../src/lists/pagination.ts';
import { builder } from '../../builder.ts';
import { type AnyField, fieldOf } from '../any-field.ts';
import { datamodel } from '../datamodel.ts';
import { defineFilter } from '../filters.ts';
import { OrderDirection } from '../list-arguments.ts';
import { defineConnection, type Options } from './connection.ts';
import { described } from './described.ts';
import { defineNumber, defineRatio, defineRatioFilter, type RatioTypes } from './ratio.ts';
import { type GroupedList, groupsOf } from './read.ts';
import type { AnyGroupTexts } from './texts.ts';

/** Returns a connection's field `groups`; none for a list without groups. */
export function groupFields(
  t: unknown,
  name: string,
  rule: ListRule,
  texts: AnyGroupTexts | undefined,
  { filter, ...options }: Options & { filter: InputRef | null },
): Record<string, AnyField> {
  if (!rule.groups || !texts) return {};
  const sorted = orderFields(rule.groups);
  const ratio = { number: defineNumber(name, rule, texts), filter };
  const connection = defineConnection(name, rule, texts, { ...options, ratio });
  const order = defineOrder(name, sorted, texts, ratio);
  const having = defineHaving(name, rule, texts, ratio);
  return {
    groups: fieldOf(t)({
      type: connection,
      nullable: true,
      description:
        `Groups all ${name} rows of the list, independently of the page, by the fields selected in \`by\`, and aggregates each ` +
        'group. Without `by`, all rows form one group. Costs as much as reading the rows of the list.',
      // The price of an operation includes what its statement may read: src/graphql/price/.
      extensions: complexityOfPage(25),
      args: builder.args((a) => ({
        first: a.int({
          description: `The number of groups to return, from 0 to ${maxGroups}. Defaults to ${defaultPageSize}.`,
        }),
        after: a.string({ description: 'Returns groups after this cursor.' }),
        having: a.field({
          type: having,
          description:
            'Which groups to return, by their measures. Others are in no page, and neither in `totalCount` nor in `other`.',
        }),
        orderBy: a.field({ type: order, description: 'Order of the groups. Defaults to count, desc.' }),
      })),
      resolve: ({ list }: { list: GroupedList }, args: GroupArguments, context: Context, info: GraphQLResolveInfo) =>
        groupsOf(list, args, context, info),
    }),
  };
}

/** Declares the input type `LeadGroupFilter`: conditions on the measures of groups. */
function defineHaving(name: string, rule: ListRule, texts: AnyGroupTexts, ratio: RatioTypes): InputRef {
  const filters = havingFilters(rule);
  const type = defineRatioFilter(name, ratio);
  const ofRatio = 'Ratios of measures, all of which must meet their conditions. At most 10 different ones.';
  const arguments_ = Object.entries(filters).map(([field, { kind }]) => [
    field,
    kind === 'ratio' ? { description: ofRatio, type } : { description: described(field, texts) },
  ]);
  const typeOf = (column: string) => columnOf(datamodel, rule.model, column).type;
  return defineFilter(`${name}Group`, { filters }, Object.fromEntries(arguments_), (field) => {
    const measure = orderFields(rule.groups as GroupRule).get(field) as Measure;
    return { nullable: !isCount(measure), type: typeOfMeasure(measure, typeOf) };
  });
}

function defineOrder(
  name: string,
  sorted: ReadonlyMap<string, unknown>,
  texts: AnyGroupTexts,
  types: RatioTypes,
): InputRef {
  const ratio = defineRatio(name, types);
  const fields = [...sorted.keys()].map((field) => [field, { description: described(field, texts) }]);
  const values = {
    ...(Object.fromEntries(fields) as Record<string, { description: string }>),
    ratio: { description: 'One measure divided by another, which the field `ratio` names.' },
  };
  const field = builder.enumType(`${name}GroupOrderField`, {
    description: `The properties by which groups of ${name} rows can be ordered.`,
    values,
  });
  return builder.inputType(`${name}GroupOrder`, {
    description: `The order of groups of ${name} rows. Ties are ordered by their keys.`,
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'The field to sort by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'The sort direction.' }),
      ratio: t.field({ type: ratio, description: 'The ratio to sort by; required with the field `ratio`.' }),
    }),
  });
}

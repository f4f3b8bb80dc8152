import type { InputFieldMap } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../../src/context.ts';
import { value } from '../../../src/core/value-kinds.ts';
import { complexity, complexityOfPage } from '../../../src/graphql/price/index.ts';
import type { GroupRule } from '../../../src/lists/group.ts';
import { type DistributionArguments, distributionOf } from '../../../src/lists/groups/index.ts';
import type { ListRule } from '../../../src/lists/list.ts';
import type { ListArguments } from '../../../src/lists/pagination.ts';
import { builder } from '../../builder.ts';
import { fieldOf } from '../any-field.ts';
import { defineBy } from './by.ts';
import { GroupsInRange } from './common.ts';
import {
  cumulativeOf,
  cursorOf,
  type Group,
  groupsIn,
  keysOf,
  measurementsOf,
  pageInfoOf,
  previousOf,
} from './group.ts';
import { indexOf, type Measurements } from './measurements.ts';
import { defineMeasures } from './measures.ts';
import type { RatioTypes } from './ratio.ts';
import type { ReadGroups } from './read.ts';
import { rowsOf } from './rows.ts';
import type { AnyGroupTexts } from './texts.ts';

export type Options = { connection: () => unknown; rowsArgs: () => InputFieldMap };
type Types = Options & { ratio: RatioTypes };

/** Declares the types `LeadGroupConnection`, `LeadGroup` and those within. */
export function defineConnection(name: string, rule: ListRule, texts: AnyGroupTexts, options: Types): unknown {
  const measures = defineMeasures(name, rule, texts, options.ratio);
  const by = defineBy(name, rule, texts);
  const measurements = builder.objectRef<Measurements>(`${name}GroupMeasures`).implement({
    description: `Aggregates of ${name} rows.`,
    fields: (t) => measures.fields(t, (parent: Measurements) => parent),
  });
  const cumulative = builder.objectRef<Measurements>(`${name}GroupCumulative`).implement({
    description: `Running totals of ${name} rows.`,
    fields: (t) => measures.cumulative(t),
  });
  const group = builder.objectRef<Group>(`${name}Group`).implement({
    description: `A group of ${name} rows with the same keys.`,
    fields: (t) => {
      const make = fieldOf(t);
      return {
        by: make({
          type: by,
          description: 'The values that the rows of the group share.',
          extensions: value('key'),
          resolve: keysOf,
        }),
        ...measures.fields(t, measurementsOf),
        previous: make({
          type: measurements,
          description:
            'The same group in the previous period, which has the same length as the time range of the filter, or ' +
            'the same number of calendar months if both ends of the range are the start of a month. A time span in ' +
            '`by` is compared with the one at the same distance from the start.',
          resolve: previousOf,
        }),
        cumulative: make({
          type: cumulative,
          description:
            'Running totals: of this group and those before it in time with the same other keys, also of groups on other ' +
            'pages and of those that `having` leaves out. Needs one time span in `by`.',
          resolve: cumulativeOf,
        }),
        rows: make({
          type: options.connection(),
          nullable: true,
          description: 'The rows of the group.',
          extensions: complexityOfPage(2),
          args: rowArguments(options.rowsArgs()),
          resolve: (parent: Group, args: ListArguments, context: Context, info: GraphQLResolveInfo) =>
            rowsOf(name, parent, args, context, info),
        }),
      };
    },
  });
  const edge = builder.objectRef<Group>(`${name}GroupEdge`).implement({
    description: `An edge of a list of groups: a group of ${name} rows and its cursor.`,
    fields: (t) => ({
      cursor: t.string({ description: 'Cursor of the group, to pass as `after`.', resolve: cursorOf }),
      node: t.field({ type: group, description: 'The group.', resolve: (parent) => parent }),
    }),
  });
  return builder.objectRef<ReadGroups>(`${name}GroupConnection`).implement({
    description: `A page of groups of ${name} rows.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The groups on this page, with their cursors.',
        resolve: groupsIn,
      }),
      nodes: t.field({
        type: [group],
        description: 'The groups on this page, without cursors.',
        resolve: groupsIn,
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'Pagination details of this page.',
        resolve: pageInfoOf,
      }),
      totalCount: t.int({
        extensions: value('count'),
        description: 'Total number of groups, regardless of the page.',
        resolve: ({ result }) => result.total,
      }),
      distribution: t.field({
        type: [GroupsInRange],
        description:
          'How many groups have how much of a number, such as how many leads have at least two conversations: of all groups, ' +
          'whatever the page, that `having` returns. Each range that begins with a bound is there, also without groups.',
        // A distribution of the groups that were read: no row is read again.
        extensions: complexity(({ bounds }: DistributionArguments) => ({ multiplier: bounds.length + 1 })),
        args: builder.args((a) => ({
          of: a.field({
            type: options.ratio.number,
            required: true,
            defaultValue: 'count',
            description: 'The number of each group.',
          }),
          bounds: a.floatList({
            required: true,
            description:
              'Up to 100 ascending numbers, each of which begins a range. Groups with smaller numbers are in a range ' +
              'without `from`.',
          }),
        })),
        resolve: ({ grouping, result }, args) => {
          const { id } = distributionOf(rule.groups as GroupRule, args as DistributionArguments);
          return result.distributions[indexOf(grouping.distributions).get(id) ?? -1] ?? [];
        },
      }),
      other: t.field({
        type: measurements,
        description: 'All groups after this page, combined into one.',
        resolve: ({ grouping, result }) => ({ index: indexOf(grouping.other), values: result.other ?? [] }),
      }),
    }),
  });
}

/** The arguments of a group's rows: filter and search are those of the list. */
const rowArguments = ({ filter: _filter, search: _search, ...others }: InputFieldMap) => others;

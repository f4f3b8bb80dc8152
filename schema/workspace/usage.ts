import { getRefFromModel, queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { access, needs } from '../../src/core/permissions.ts';
import { value } from '../../src/core/value-kinds.ts';
import {
  currentUsage,
  type MonthlyUsage,
  readUsage,
  subscriptionOf,
  subscriptionWith,
} from '../../src/domain/workspace/usage.ts';
import {
  type UsedMonth as Month,
  maxMonths,
  readMonthsBefore,
  readShares,
  type UsageShare as UsageShared,
} from '../../src/domain/workspace/usage-history.ts';
import { complexity, complexityOfPage } from '../../src/graphql/price/index.ts';
import { builder } from '../builder.ts';
import { readRow } from '../shared/row-loaders.ts';
import { WorkspaceSubscription } from './subscriptions.ts';

const UsageDimension = builder.enumType('UsageDimension', {
  description: 'A dimension to group the interactions of a month by.',
  values: {
    day: { description: 'The day, in UTC.' },
    agent: { description: 'The agent that replied.' },
    channel: { description: 'The channel on which the agent replied.' },
    model: { description: 'The model that wrote the reply.' },
  } as const,
});

const tokens = '`null` if no model reported them';
const UsageShare = builder.objectRef<UsageShared>('UsageShare').implement({
  description:
    'Interactions with the same values of the dimensions they are grouped by. One share has no keys: interactions without details, such as a reply that is still being generated or interactions from before they were recorded individually.',
  fields: (t) => ({
    day: t.exposeString('day', { nullable: true, description: 'The day in UTC, such as 2026-07-31.' }),
    agentId: t.exposeID('agentId', {
      nullable: true,
      description: 'ID of the agent, which may have been deleted since.',
    }),
    channelId: t.exposeID('channelId', {
      nullable: true,
      description: 'ID of the channel, which may have been deleted since.',
    }),
    model: t.exposeString('model', { nullable: true, description: 'The name of the model.' }),
    count: t.expose('count', {
      extensions: value('count'),
      type: 'NonNegativeInt',
      description: 'The number of interactions.',
    }),
    promptTokens: t.exposeFloat('promptTokens', {
      extensions: value('amount', 'tokens'),
      nullable: true,
      description: `Input tokens; ${tokens}.`,
    }),
    completionTokens: t.exposeFloat('completionTokens', {
      extensions: value('amount', 'tokens'),
      nullable: true,
      description: `Output tokens; ${tokens}.`,
    }),
    cachedTokens: t.exposeFloat('cachedTokens', {
      extensions: value('amount', 'tokens'),
      nullable: true,
      description: `Cached input tokens; ${tokens}.`,
    }),
    cost: t.exposeFloat('cost', {
      nullable: true,
      description:
        'Cost of the interactions in US dollars, at the prices in `MODELS`. `null` if unknown. Requires the permission ' +
        '`analytics.read`.',
      extensions: { ...needs('analytics.read'), ...value('amount', 'USD') },
    }),
    agent: t.field({
      type: getRefFromModel('Agent', builder),
      nullable: true,
      description: 'The agent. `null` if it was deleted.',
      resolve: ({ agentId }, _args, context, info) => rowOf('Agent', agentId, context, info),
    }),
    channel: t.field({
      type: getRefFromModel('Channel', builder),
      nullable: true,
      description: 'The channel. `null` if it was deleted.',
      resolve: ({ channelId }, _args, context, info) => rowOf('Channel', channelId, context, info),
    }),
  }),
});

const rowOf = (model: string, id: string | null, context: Context, info: GraphQLResolveInfo) =>
  id === null ? null : readRow(context, { model, selection: queryFromInfo({ context, info }) }, id);

/** A field of a month: what its interactions were used for. */
const breakdown = {
  type: [UsageShare] as [typeof UsageShare],
  nullable: true as const,
  description:
    'The interactions of the month, grouped by the given dimensions: days in order, otherwise the largest share first. Days ' +
    'alone include those without interactions.',
  extensions: complexity({ field: 5, multiplier: 20 }),
  args: builder.args((a) => ({
    by: a.field({ type: [UsageDimension], required: true, description: 'The dimensions to group by: one or more.' }),
  })),
};

const UsedMonth = builder.objectRef<Month>('UsedMonth').implement({
  description: 'The number of interactions a workspace used in a past month.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'The month in UTC, such as 2026-06.' }),
    current: t.expose('current', {
      extensions: value('count'),
      type: 'NonNegativeInt',
      description: 'The number of interactions used.',
    }),
    breakdown: t.field({ ...breakdown, resolve: (month, { by }, context) => readShares(context, month, by) }),
  }),
});

const Usage = builder.objectRef<MonthlyUsage>('Usage').implement({
  description:
    'The number of interactions a workspace used in a month. Each reply an agent generates is one interaction.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'The month in UTC, such as 2026-07.' }),
    current: t.expose('current', {
      extensions: value('count'),
      type: 'NonNegativeInt',
      description: 'The number of interactions used so far.',
    }),
    max: t.expose('max', {
      type: 'NonNegativeInt',
      description: 'The maximum number of interactions. 0 if there is no active subscription or trial.',
    }),
    subscriptionId: t.exposeID('subscriptionId', {
      description: 'ID of the current subscription: the newest that is active or on trial. Empty if there is none.',
    }),
    breakdown: t.field({ ...breakdown, resolve: (month, { by }, context) => readShares(context, month, by) }),
    before: t.field({
      type: [UsedMonth],
      nullable: true,
      description: 'The months before this one, newest first.',
      extensions: complexityOfPage(),
      args: builder.args((a) => ({
        last: a.int({
          required: true,
          defaultValue: 12,
          description: `The number of months, from 1 to ${maxMonths}.`,
        }),
      })),
      resolve: ({ month }, { last }, context) => readMonthsBefore(context, month, last),
    }),
    subscription: t.field({
      type: WorkspaceSubscription,
      nullable: true,
      description: 'The current subscription. `null` if there is none.',
      extensions: {
        parleyOneOf: {
          column: 'subscriptionId',
          candidates: [{ type: 'WorkspaceSubscription', where: subscriptionWith }],
        },
      },
      resolve: (usage, _args, context) => subscriptionOf(context, usage),
    }),
  }),
});

const usageQuery = {
  permission: 'usage.read',
  reads: ['Usage', 'Subscription', 'Workspace'],
  columns: { month: 'String', current: 'Int', max: 'Int', subscriptionId: 'String' },
  query: currentUsage,
};

builder.queryField('usage', (t) =>
  t.field({
    type: Usage,
    nullable: true,
    description: 'The usage of the workspace in the current month.',
    extensions: { ...access('usage.read'), parleyQuery: usageQuery },
    resolve: (_root, _args, context) => readUsage(context),
  }),
);

builder.prismaObjectField('Workspace', 'usage', (t) =>
  t.field({
    type: Usage,
    nullable: true,
    description: 'The usage of the workspace in the current month.',
    extensions: { parleyQuery: usageQuery },
    resolve: (_workspace, _args, context) => readUsage(context),
  }),
);

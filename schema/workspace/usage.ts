import { getRefFromModel, queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { access, needs } from '../../src/core/permissions.ts';
import { type MonthlyUsage, readUsage, subscriptionOf } from '../../src/domain/workspace/usage.ts';
import {
  type UsedMonth as Month,
  mostMonths,
  readMonthsBefore,
  readShares,
  type UsageShare as UsageShared,
} from '../../src/domain/workspace/usage-history.ts';
import { builder } from '../builder.ts';
import { readRow } from '../shared/related.ts';
import { WorkspaceSubscription } from './subscriptions.ts';

const UsageDimension = builder.enumType('UsageDimension', {
  description: 'What the interactions of a month are divided by.',
  values: {
    day: { description: 'The day, in UTC.' },
    agent: { description: 'The agent that replied.' },
    channel: { description: 'The channel that it replied on.' },
    model: { description: 'The model that wrote the reply.' },
  } as const,
});

const tokens = 'null where no model told';
const UsageShare = builder.objectRef<UsageShared>('UsageShare').implement({
  description:
    'Interactions that have in common what they are divided by. One share has none of the keys: what nothing tells of, such ' +
    'as a reply that is being generated now, and interactions of before they were kept one by one.',
  fields: (t) => ({
    day: t.exposeString('day', { nullable: true, description: 'The day in UTC, such as 2026-07-31.' }),
    agentId: t.exposeID('agentId', { nullable: true, description: 'The id of the agent, which may be gone since.' }),
    channelId: t.exposeID('channelId', {
      nullable: true,
      description: 'The id of the channel, which may be gone since.',
    }),
    model: t.exposeString('model', { nullable: true, description: 'The name of the model.' }),
    count: t.expose('count', { type: 'NonNegativeInt', description: 'How many interactions they are.' }),
    promptTokens: t.exposeFloat('promptTokens', { nullable: true, description: `Tokens that models read; ${tokens}.` }),
    completionTokens: t.exposeFloat('completionTokens', {
      nullable: true,
      description: `Tokens that models wrote; ${tokens}.`,
    }),
    cachedTokens: t.exposeFloat('cachedTokens', {
      nullable: true,
      description: `Tokens read that models had cached; ${tokens}.`,
    }),
    cost: t.exposeFloat('cost', {
      nullable: true,
      description:
        'What they cost in US dollars, by the prices of `MODELS`; null where that is not known. It takes the permission ' +
        '`analytics.read`.',
      extensions: needs('analytics.read'),
    }),
    agent: t.field({
      type: getRefFromModel('Agent', builder) as never,
      nullable: true,
      description: 'The agent; null when it is gone.',
      resolve: ({ agentId }, _args, context, info) => rowOf('Agent', agentId, context, info) as never,
    }),
    channel: t.field({
      type: getRefFromModel('Channel', builder) as never,
      nullable: true,
      description: 'The channel; null when it is gone.',
      resolve: ({ channelId }, _args, context, info) => rowOf('Channel', channelId, context, info) as never,
    }),
  }),
});

const rowOf = (model: string, id: string | null, context: Context, info: GraphQLResolveInfo) =>
  id === null ? null : readRow(context, { model, selection: queryFromInfo({ context, info }) }, id);

/** A field of a month: what its interactions were used for. */
const breakdownArgs = builder.args((a) => ({
  by: a.field({ type: [UsageDimension], required: true, description: 'What they are divided by: one or more.' }),
}));
const breakdownText = 'The interactions of the month, divided; the days in order, else the largest share first.';

const UsedMonth = builder.objectRef<Month>('UsedMonth').implement({
  description: 'How many interactions a workspace used in a month that is over.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'The month in UTC, such as 2026-06.' }),
    current: t.expose('current', { type: 'NonNegativeInt', description: 'How many interactions were used.' }),
    breakdown: t.field({
      type: [UsageShare],
      nullable: true,
      description: breakdownText,
      complexity: { field: 5, multiplier: 20 },
      args: breakdownArgs,
      resolve: (month, { by }, context) => readShares(context, month, by),
    }),
  }),
});

const Usage = builder.objectRef<MonthlyUsage>('Usage').implement({
  description: 'How many interactions a workspace used in a month. A reply that an agent generates is one.',
  fields: (t) => ({
    month: t.exposeString('month', { description: 'The month in UTC, such as 2026-07.' }),
    current: t.expose('current', { type: 'NonNegativeInt', description: 'How many interactions are used.' }),
    max: t.expose('max', {
      type: 'NonNegativeInt',
      description: 'How many there may be; 0 without a subscription in force.',
    }),
    subscriptionId: t.exposeID('subscriptionId', {
      description:
        'The id of the subscription in force, the newest that is active or on trial; empty when there is none.',
    }),
    breakdown: t.field({
      type: [UsageShare],
      nullable: true,
      description: breakdownText,
      complexity: { field: 5, multiplier: 20 },
      args: breakdownArgs,
      resolve: (month, { by }, context) => readShares(context, month, by),
    }),
    before: t.field({
      type: [UsedMonth],
      nullable: true,
      description: 'The months before this one, newest first.',
      complexity: ({ last }) => ({ field: 1, multiplier: Math.max(last, 1) }),
      args: builder.args((a) => ({
        last: a.int({ required: true, defaultValue: 12, description: `How many months, 1 to ${mostMonths}.` }),
      })),
      resolve: ({ month }, { last }, context) => readMonthsBefore(context, month, last),
    }),
    subscription: t.field({
      type: WorkspaceSubscription,
      nullable: true,
      description: 'The subscription in force; null when there is none.',
      resolve: (usage, _args, context) => subscriptionOf(context, usage),
    }),
  }),
});

builder.queryField('usage', (t) =>
  t.field({
    type: Usage,
    nullable: true,
    description: 'What the workspace used in the current month.',
    extensions: access('usage.read'),
    resolve: (_root, _args, context) => readUsage(context),
  }),
);

builder.prismaObjectField('Workspace', 'usage', (t) =>
  t.field({
    type: Usage,
    nullable: true,
    description: 'What it used in the current month.',
    resolve: (_workspace, _args, context) => readUsage(context),
  }),
);

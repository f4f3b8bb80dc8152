import { access } from '../../src/core/permissions.ts';
import { type MonthlyUsage, readUsage, subscriptionOf } from '../../src/domain/workspace/usage.ts';
import { builder } from '../builder.ts';
import { WorkspaceSubscription } from './subscriptions.ts';

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

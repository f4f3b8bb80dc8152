import {
  createSubscription,
  deleteSubscription,
  subscriptionList,
  updateSubscription,
} from '../../src/domain/workspace/subscriptions.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

const SubscriptionStatus = builder.enumType('SubscriptionStatus', {
  description: 'The status of a subscription: trial, active, canceled or ended.',
  values: {
    trial: { description: 'On trial. Becomes active or ends.' },
    active: { description: 'Active and paid for until it is canceled.' },
    canceled: { description: 'Canceled, and about to end.' },
    ended: { description: 'Ended for good.' },
  } as const,
});

const SubscriptionSource = builder.enumType('SubscriptionSource', {
  description: 'Where a subscription was created.',
  values: {
    self_service: { description: 'Created by the workspace itself.' },
    third_party: { description: 'Created by another seller.' },
  } as const,
});

/** Named so since `Subscription` is a root type, whose name clients' caches take for their own. */
export const WorkspaceSubscription = builder.prismaNode('Subscription', {
  name: 'WorkspaceSubscription',
  description: "A workspace's paid plan for an app and the interactions per month it includes.",
  id: { resolve: ({ id }) => id, description: 'Unique ID of the subscription, the same in REST.' },
  nullable: true,
  findUnique: rowById('Subscription'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that subscribed.' }),
    status: t.expose('status', { type: SubscriptionStatus, description: 'The status of the subscription.' }),
    appId: t.exposeID('appId', { description: 'ID of the app the subscription is for.' }),
    priceId: t.exposeString('priceId', { description: 'ID of the price at the payment provider.' }),
    coupon: t.exposeString('coupon', { nullable: true, description: 'The coupon that was used.' }),
    source: t.expose('source', { type: SubscriptionSource, description: 'Where the subscription was created.' }),
    maxInteractions: t.exposeInt('maxInteractions', {
      description:
        'Interactions per month that the subscription includes. A limit set by the operator for the workspace takes precedence.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the subscription was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the subscription was last updated.' }),
    app: t.relation('app', { description: 'The app the subscription is for.' }),
    workspace: t.relation('workspace', { description: 'The workspace that subscribed.' }),
  }),
});

export const SubscriptionList = defineList(WorkspaceSubscription, 'WorkspaceSubscription', subscriptionList, {
  orders: { createdAt: 'When the subscription was created.' },
  filter: {
    status: { type: SubscriptionStatus, description: 'Subscriptions with one of these statuses.' },
    appId: { type: 'ID', description: 'Subscriptions for this app.' },
    ids: { type: 'ID', description: 'Subscriptions with one of these IDs.' },
    appIds: { type: 'ID', description: 'Subscriptions for one of these apps.' },
    source: { type: SubscriptionSource, description: 'Subscriptions from one of these sources.' },
    maxInteractions: { description: 'Interactions per month that the subscription includes.' },
    createdAt: { description: 'Subscriptions created in this time range.' },
    updatedAt: { description: 'Subscriptions last updated in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When the subscription was created.' },
    by: {
      status: { type: SubscriptionStatus, description: 'The status of the subscription.' },
      app: { description: 'The app the subscription is for.' },
    },
    numbers: { maxInteractions: 'Interactions per month that the subscription includes.' },
    distinct: { appId: 'The apps the subscriptions are for.' },
  },
});

builder.queryFields((t) => ({
  subscriptions: rootConnection(t, SubscriptionList, 'The subscriptions of the workspace, newest first.'),
  subscription: rootRow(t, SubscriptionList, 'Returns a subscription by ID.'),
}));

const payload = {
  field: 'subscription',
  type: WorkspaceSubscription,
  description: 'The created or updated subscription.',
};

rowMutation('createSubscription', {
  description: 'Subscribes the workspace to an app.',
  payload,
  input: (t) => ({
    appId: t.id({ required: true, description: 'ID of the app.' }),
    priceId: t.string({ required: true, description: 'ID of the price at the payment provider.' }),
    coupon: t.string({ description: 'The coupon to use.' }),
    source: t.field({
      type: SubscriptionSource,
      description: 'Where the subscription is created. Defaults to `self_service`.',
    }),
    status: t.field({ type: SubscriptionStatus, description: 'The status: `trial` or `active`. Defaults to `trial`.' }),
  }),
  write: createSubscription,
});

rowMutation('updateSubscription', {
  description:
    'Updates the given fields of a subscription. The status can change from `trial` to `active` or `ended`, from `active` to `canceled`, and from `canceled` to `ended`.',
  payload,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the subscription.' }),
    status: t.field({ type: SubscriptionStatus, description: 'The new status.' }),
    priceId: t.string({ description: 'ID of the price at the payment provider.' }),
    coupon: t.string({ description: 'The coupon used. `null` removes it.' }),
  }),
  write: updateSubscription,
});

deleteMutation('deleteSubscription', {
  description: 'Deletes a subscription that has ended.',
  what: 'subscription',
  write: deleteSubscription,
});

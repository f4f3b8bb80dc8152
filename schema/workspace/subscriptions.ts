import {
  createSubscription,
  deleteSubscription,
  subscriptionList,
  updateSubscription,
} from '../../src/domain/workspace/subscriptions.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, rowMutation } from '../shared/mutations.ts';

const SubscriptionStatus = builder.enumType('SubscriptionStatus', {
  description: 'Where a subscription is in its life: trial, active, canceled, ended.',
  values: {
    trial: { description: 'Being tried out: becomes active or ends.' },
    active: { description: 'In force and paid for, until it is canceled.' },
    canceled: { description: 'Given up: it ends.' },
    ended: { description: 'Over for good.' },
  } as const,
});

const SubscriptionSource = builder.enumType('SubscriptionSource', {
  description: 'Where a subscription was made.',
  values: {
    self_service: { description: 'By the workspace itself.' },
    third_party: { description: 'By another seller.' },
  } as const,
});

/** Named so since `Subscription` is a root type, whose name clients' caches take for their own. */
export const WorkspaceSubscription = builder.prismaNode('Subscription', {
  name: 'WorkspaceSubscription',
  description: 'What the workspace pays for, and how many interactions a month come with it.',
  id: { field: 'id', description: 'The id of the subscription, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that subscribed.' }),
    status: t.expose('status', { type: SubscriptionStatus, description: 'Where it is in its life.' }),
    appId: t.exposeID('appId', { description: 'The app that it is for.' }),
    priceId: t.exposeString('priceId', { description: 'The id of the price, at the payment provider.' }),
    coupon: t.exposeString('coupon', { nullable: true, description: 'The coupon that was used.' }),
    source: t.expose('source', { type: SubscriptionSource, description: 'Where it was made.' }),
    maxInteractions: t.exposeInt('maxInteractions', {
      description: 'The interactions of a month that it pays for; what the operator sets for the workspace wins.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
    app: t.relation('app', { description: 'The app that it is for.' }),
    workspace: t.relation('workspace', { description: 'The workspace that subscribed.' }),
  }),
});

export const SubscriptionList = defineList(WorkspaceSubscription, 'WorkspaceSubscription', subscriptionList, {
  orders: { createdAt: 'When it was made.' },
  filter: {
    status: { type: SubscriptionStatus, description: 'Subscriptions in one of these states.' },
    appId: { type: 'ID', description: 'Subscriptions for this app.' },
    ids: { type: 'ID', description: 'Subscriptions with one of these ids.' },
    appIds: { type: 'ID', description: 'Subscriptions for one of these apps.' },
    source: { type: SubscriptionSource, description: 'Subscriptions that came about in one of these ways.' },
    maxInteractions: { description: 'The interactions of a month that it pays for.' },
    createdAt: { description: 'Subscriptions made in this span of time.' },
    updatedAt: { description: 'Subscriptions changed last in this span of time.' },
  },
  groups: {
    moments: { createdAt: 'When it was made.' },
    by: {
      status: { type: SubscriptionStatus, description: 'Whether it is in force.' },
      app: { description: 'The app that it is for.' },
    },
    numbers: { maxInteractions: 'The interactions of a month that it pays for.' },
    distinct: { appId: 'The apps that they are for.' },
  },
});

builder.queryFields((t) => ({
  subscriptions: rootConnection(t, SubscriptionList, 'The subscriptions of the workspace, newest first.'),
  subscription: rootRow(t, SubscriptionList, 'One subscription.'),
}));

const answers: [string, unknown, string] = ['subscription', WorkspaceSubscription, 'The subscription as it is now.'];

rowMutation('createSubscription', {
  description: 'Subscribes the workspace to an app.',
  answers,
  input: (t) => ({
    appId: t.id({ required: true, description: 'The id of the app.' }),
    priceId: t.string({ required: true, description: 'The id of the price, at the payment provider.' }),
    coupon: t.string({ description: 'The coupon to use.' }),
    source: t.field({ type: SubscriptionSource, description: 'Where it is made; self_service when left out.' }),
    status: t.field({ type: SubscriptionStatus, description: 'trial, also when left out, or active.' }),
  }),
  write: createSubscription,
});

rowMutation('updateSubscription', {
  updates: { model: 'Subscription' },
  description:
    'Changes what is given. The status goes from trial to active or ended, from active to canceled to ended.',
  answers,
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the subscription.' }),
    status: t.field({ type: SubscriptionStatus, description: 'The status that it shall have.' }),
    priceId: t.string({ description: 'The id of the price, at the payment provider.' }),
    coupon: t.string({ description: 'The coupon that is used; null: none.' }),
  }),
  write: updateSubscription,
});

deleteMutation('deleteSubscription', {
  updates: { model: 'Subscription' },
  description: 'Removes a subscription that has ended.',
  what: 'subscription',
  write: deleteSubscription,
});

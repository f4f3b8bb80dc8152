import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import type { SubscriptionStatus } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { change, insertion, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { optionalText, parseInput, requiredText } from '../shared/input.ts';
import { keyOfRow, rowWithId, rowWrite } from '../shared/mutations.ts';

export const subscriptionList = listRule({
  model: 'Subscription',
  permission: 'subscriptions.read',
  analytics: { except: ['priceId', 'coupon'] },
  // REST returns all subscriptions as one array.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    appId: { kind: 'equals', column: 'appId' },
    ids: { kind: 'in', column: 'id' },
    appIds: { kind: 'in', column: 'appId' },
    source: { kind: 'in', column: 'source' },
    maxInteractions: { kind: 'number', column: 'maxInteractions' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      status: { kind: 'value', column: 'status' },
      app: { kind: 'related', column: 'appId', model: 'App' },
    },
    numbers: ['maxInteractions'],
    distinct: ['appId'],
  },
});

/** From which states each state can be reached; staying in one is allowed too. */
const before: Record<SubscriptionStatus, SubscriptionStatus[]> = {
  trial: [],
  active: ['trial'],
  canceled: ['active'],
  ended: ['trial', 'canceled'],
};

const subscriptionInput = z.object({
  appId: z.string(),
  priceId: requiredText(),
  coupon: optionalText(200).optional(),
  source: z.enum(['self_service', 'third_party']).optional(),
  status: z.enum(['trial', 'active'], 'must be trial or active for a new subscription').optional(),
});

/** Subscribes the workspace to an app: on trial by default. Throws 400, and 404 `not_found` for an unknown app. */
export const createSubscription = rowWrite({
  model: 'Subscription',
  permission: 'subscriptions.write',
  prepare: (context, input: z.input<typeof subscriptionInput>) => {
    const data = parseInput(subscriptionInput, input);
    return insertion('Subscription', {
      ...data,
      id: newId('subscription'),
      workspaceId: context.viewer.workspaceId,
    });
  },
});

const subscriptionChange = z.object({
  status: z.enum(['trial', 'active', 'canceled', 'ended']).optional(),
  priceId: requiredText().optional(),
  coupon: optionalText(200).optional(),
});

type SubscriptionChange = z.input<typeof subscriptionChange> & { id: string };

/** Updates the given properties. Throws 400, 404, and 409 `conflict` if the status cannot change like this. */
export const updateSubscription = rowWrite({
  model: 'Subscription',
  permission: 'subscriptions.write',
  prepare: (context, { id, ...input }: SubscriptionChange) => {
    const data = parseInput(subscriptionChange, input);
    const from = data.status && [...before[data.status], data.status];
    return change('Subscription', { ...rowWithId(context, id), ...(from && { status: { in: from } }) }, data);
  },
  fallback: async (context, { id, status }) => {
    throw refused(await statusOf(context, id), `become ${status}`);
  },
});

/** Deletes a subscription that has ended. Throws 404, and 409 `conflict` for any other. */
export const deleteSubscription = rowWrite({
  model: 'Subscription',
  permission: 'subscriptions.write',
  prepare: (context, { id }: { id: string }) => {
    return removal('Subscription', { ...rowWithId(context, id), status: 'ended' });
  },
  fallback: async (context, { id }) => {
    throw refused(await statusOf(context, id), 'be deleted before it has ended');
  },
});

const refused = (status: SubscriptionStatus, verb: string) =>
  conflict(`status: a subscription that is ${status} cannot ${verb}.`);

async function statusOf(context: Context, id: string): Promise<SubscriptionStatus> {
  const where = keyOfRow(context, id);
  const subscription = await context.database.subscription.findUnique({ where, select: { status: true } });
  if (!subscription) throw notFound('Subscription');
  return subscription.status;
}

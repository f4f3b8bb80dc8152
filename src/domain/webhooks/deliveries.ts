import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { transact } from '../../database/client.ts';
import type { WebhookDelivery } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { listRule } from '../../lists/list.ts';
import { rowWithId } from '../shared/mutations.ts';
import { claimNew } from './claims.ts';
import { readingOf } from './events.ts';
import { sendDelivery } from './send.ts';

export const webhookDeliveryList = listRule({
  model: 'WebhookDelivery',
  permission: 'webhooks.read',
  orders: { createdAt: { type: 'date' } },
  filters: {
    webhookId: { kind: 'equals', column: 'webhookId' },
    event: { kind: 'in', column: 'event' },
    status: { kind: 'in', column: 'status' },
    createdAt: { kind: 'range', column: 'createdAt' },
    ids: { kind: 'in', column: 'id' },
    webhookIds: { kind: 'in', column: 'webhookId' },
    attempts: { kind: 'number', column: 'attempts' },
    responseStatus: { kind: 'number', column: 'responseStatus', nullable: true },
    durationMs: { kind: 'number', column: 'durationMs', nullable: true },
    webhook: { kind: 'relation', relation: 'webhook', model: 'Webhook' },
  },
  groups: {
    moments: ['createdAt'],
    by: {
      event: { kind: 'value', column: 'event' },
      status: { kind: 'value', column: 'status' },
      webhook: { kind: 'related', column: 'webhookId', model: 'Webhook' },
    },
    numbers: ['attempts', 'durationMs'],
    units: { durationMs: 'ms' },
    distinct: ['webhookId'],
  },
});

/** The body of a delivery. Throws 403 unless the viewer may read what its event is about. */
export function shownBody(context: Context, { event, body }: Pick<WebhookDelivery, 'event' | 'body'>): string | null {
  const reading = readingOf(event);
  if (reading) permit(context, reading);
  return body;
}

/** Repeats a delivery under the same `webhook-id`; a pending one is sent at once. Throws 404. */
export async function replayWebhookDelivery(context: Context, id: string): Promise<WebhookDelivery> {
  permit(context, 'webhooks.write');
  const [replayed] = await context.database.webhookDelivery.updateManyAndReturn({
    where: rowWithId(context, id),
    // Counts as a claim, so that an attempt in progress can no longer settle it.
    data: {
      status: 'pending',
      attempts: 0,
      claims: { increment: 1 },
      nextAttemptAt: await context.leaseTime(),
      error: null,
    },
  });
  if (!replayed) throw notFound('WebhookDelivery');
  return replayed;
}

/** Sends a single `ping` to a webhook, enabled or not, and returns its delivery. Throws 404. */
export async function testWebhook(context: Context, id: string): Promise<WebhookDelivery> {
  permit(context, 'webhooks.write');
  const { database } = context;
  const { workspaceId } = context.viewer;
  const eventId = newId('event');
  const claimed = await transact(database, async (tx) => {
    if (!(await tx.webhook.findFirst({ where: rowWithId(context, id), select: { id: true } }))) {
      throw notFound('Webhook');
    }
    await tx.outboxEvent.create({ data: { id: eventId, workspaceId, type: 'ping', data: { webhookId: id } } });
    return claimNew(tx, { workspaceId, eventId }, await context.leaseTime(tx));
  });
  await sendDelivery(context, claimed);
  return database.webhookDelivery.findFirstOrThrow({ where: rowWithId(context, claimed.id) });
}

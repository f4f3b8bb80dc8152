import { value } from '../../src/core/value-kinds.ts';
import {
  replayWebhookDelivery,
  shownBody,
  testWebhook,
  webhookDeliveryList,
} from '../../src/domain/webhooks/deliveries.ts';
import { builder } from '../builder.ts';
import { defineList, type List, rootConnection, rootRow } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';

export const WebhookEvent = builder.enumType('WebhookEvent', {
  description:
    'An event that webhooks can subscribe to. In the payload, `type` has a dot instead of the `_`: `lead.created`.',
  values: {
    message_created: { description: 'A message from a visitor, an agent or a tool was stored.' },
    conversation_created: { description: 'A conversation was started.' },
    conversation_updated: {
      description: 'The status, stage, lead or title of a conversation changed; `changed` lists which.',
    },
    lead_created: { description: 'A lead was captured or created.' },
    lead_updated: { description: 'The data of a lead changed.' },
    lead_removed: { description: 'A lead was deleted.' },
    source_succeeded: { description: 'A source of a knowledge base was read.' },
    source_failed: { description: 'A source of a knowledge base could not be read.' },
    usage_threshold: {
      description: '80 or 100 percent of the interactions of a month have been used. Sent once for each.',
    },
    alert_started: {
      description: 'The condition of a tile of a dashboard holds for as long as it must. Sent once.',
    },
    alert_ended: { description: 'A condition that had started no longer holds. Sent once.' },
    alert_paused: { description: 'A condition is checked no more until somebody resumes it. Sent once.' },
    ping: { description: 'A test of the webhook by `testWebhook`. Sent regardless of its `events`.' },
  } as const,
});

const WebhookDeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  description: 'The status of a delivery.',
  values: {
    pending: { description: 'Waiting for its first or next attempt.' },
    succeeded: { description: 'The receiver returned a status of 200 to 299.' },
    failed: { description: 'The maximum number of attempts was reached; `error` says why the last one failed.' },
  } as const,
});

const WebhookDelivery = builder.prismaNode('WebhookDelivery', {
  description:
    'An event that is delivered to a webhook. Kept for 30 days, or fewer if `retention` of the settings says so.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the delivery.' },
  nullable: true,
  findUnique: rowById('WebhookDelivery'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the delivery belongs to.' }),
    webhookId: t.exposeID('webhookId', { description: 'ID of the webhook that the event is sent to.' }),
    eventId: t.exposeString('eventId', {
      description: 'The `webhook-id` header of every attempt. Receivers can use it to detect duplicates.',
    }),
    event: t.expose('event', { type: WebhookEvent, description: 'The event that occurred.' }),
    status: t.expose('status', { type: WebhookDeliveryStatus, description: 'The status of the delivery.' }),
    attempts: t.exposeInt('attempts', {
      extensions: value('amount'),
      description: 'Number of attempts since the delivery was last replayed.',
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is made, at the latest. `null` if there is none.',
    }),
    lastAttemptAt: t.expose('lastAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last attempt was made. `null` if there was none yet.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status that the receiver last returned. `null` if it returned no response.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the last attempt failed. `null` if it did not.',
    }),
    durationMs: t.exposeInt('durationMs', {
      extensions: value('amount', 'ms'),
      nullable: true,
      description: 'Duration of the last attempt, in milliseconds.',
    }),
    body: t.string({
      nullable: true,
      description:
        'The JSON body that was sent, and is sent unchanged in later attempts. `null` before the first attempt. Needs ' +
        'the permission to read what the event is about.',
      extensions: { parleyColumns: ['event', 'body'] },
      resolve: (delivery, _args, context) => shownBody(context, delivery),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event occurred.' }),
    webhook: t.relation('webhook', { description: 'The webhook that the event is sent to.' }),
  }),
});

export const WebhookDeliveryList: List = defineList(WebhookDelivery, 'WebhookDelivery', webhookDeliveryList, {
  orders: { createdAt: 'When the event occurred.' },
  filter: {
    webhookId: { type: 'ID', description: 'Deliveries to this webhook.' },
    event: { type: WebhookEvent, description: 'Deliveries of one of these events.' },
    status: { type: WebhookDeliveryStatus, description: 'Deliveries with this status.' },
    createdAt: { description: 'Deliveries of events that occurred in this time range.' },
    ids: { type: 'ID', description: 'Deliveries with one of these ids.' },
    webhookIds: { type: 'ID', description: 'Deliveries to one of these webhooks.' },
    attempts: { description: 'Number of attempts since the delivery was last replayed.' },
    responseStatus: { description: 'The HTTP status that the receiver last returned. `null` if it returned none.' },
    durationMs: { description: 'Duration of the last attempt, in milliseconds. `null` if none was completed.' },
    webhook: { list: 'Webhook', description: 'Deliveries to webhooks that match this filter.' },
  },
  groups: {
    moments: { createdAt: 'When the event occurred.' },
    by: {
      event: { type: WebhookEvent, description: 'The event that occurred.' },
      status: { type: WebhookDeliveryStatus, description: 'The status of the delivery.' },
      webhook: { description: 'The webhook that the event is sent to.' },
    },
    numbers: {
      attempts: 'Number of attempts since the delivery was last replayed.',
      durationMs: 'Duration of the last attempt, in milliseconds.',
    },
    distinct: { webhookId: 'The webhooks that events are sent to.' },
  },
});

builder.queryFields((t) => ({
  webhookDeliveries: rootConnection(
    t,
    WebhookDeliveryList,
    'Completed and pending deliveries to webhooks, newest first.',
  ),
  webhookDelivery: rootRow(t, WebhookDeliveryList, 'Returns a webhook delivery by ID.'),
}));

const payload = { field: 'delivery', type: WebhookDelivery, description: 'The delivery after the change.' };

rowMutation('replayWebhookDelivery', {
  description:
    'Sends an event again with the same `webhook-id` and body. A delivery that waits for its next attempt is ' +
    'sent immediately. It gets as many attempts as a new delivery.',
  payload,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the delivery.' }) }),
  permission: 'webhooks.write',
  resolve: (context, { id }) => replayWebhookDelivery(context, id),
});

rowMutation('testWebhook', {
  waits: true,
  description: 'Sends a `ping` to a webhook once, even if it is disabled, and returns the result.',
  payload,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the webhook.' }) }),
  permission: 'webhooks.write',
  resolve: (context, { id }) => testWebhook(context, id),
});

import { replayWebhookDelivery, testWebhook, webhookDeliveryList } from '../../src/domain/webhooks/deliveries.ts';
import { builder } from '../builder.ts';
import { defineList, type List, rootConnection, rootRow } from '../shared/connections.ts';
import { rowMutation } from '../shared/mutations.ts';

export const WebhookEvent = builder.enumType('WebhookEvent', {
  description: 'What a webhook may be told of. In what it is sent, `type` has a dot for the `_`: `lead.created`.',
  values: {
    message_created: { description: 'A message was stored: of a visitor, of an agent, or of a tool.' },
    conversation_created: { description: 'A conversation began.' },
    conversation_updated: {
      description: 'The status, stage, lead or title of a conversation changed; `changed` names which.',
    },
    lead_created: { description: 'A lead was captured, or made.' },
    lead_updated: { description: 'Something that is known of a lead changed.' },
    lead_removed: { description: 'A lead was removed.' },
    source_succeeded: { description: 'A source of a knowledge base was read.' },
    source_failed: { description: 'A source could not be read.' },
    usage_threshold: { description: '80 or 100 percent of the interactions of a month are used: once each.' },
    ping: { description: 'A try of the webhook itself, by `testWebhook`; sent whatever its events are.' },
  } as const,
});

const WebhookDeliveryStatus = builder.enumType('WebhookDeliveryStatus', {
  description: 'What became of a delivery.',
  values: {
    pending: { description: 'It waits for its first or its next try.' },
    succeeded: { description: 'The receiver answered with a status of 200 to 299.' },
    failed: { description: 'It was tried as often as it may be; `error` says why the last try failed.' },
  } as const,
});

const WebhookDelivery = builder.prismaNode('WebhookDelivery', {
  description: 'An event on its way to a webhook. Kept for 30 days.',
  id: { field: 'id', description: 'The id of the delivery.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that it belongs to.' }),
    webhookId: t.exposeID('webhookId', { description: 'The webhook that it goes to.' }),
    eventId: t.exposeString('eventId', {
      description: 'The header `webhook-id` of every try: receivers know by it what they were told before.',
    }),
    event: t.expose('event', { type: WebhookEvent, description: 'What happened.' }),
    status: t.expose('status', { type: WebhookDeliveryStatus, description: 'What became of it.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was tried, since it was replayed last.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried again, at the latest; null when it is not.',
    }),
    lastAttemptAt: t.expose('lastAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was tried last; null when it was not yet.',
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status that the receiver answered last; null when it answered nothing.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the last try failed; null when it did not.',
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'How long the last try took, in milliseconds.',
    }),
    body: t.exposeString('body', {
      nullable: true,
      description: 'The JSON that was sent, and is sent again as it is; null before the first try.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
    webhook: t.relation('webhook', { description: 'The webhook that it goes to.' }),
  }),
});

export const WebhookDeliveryList: List = defineList(WebhookDelivery, 'WebhookDelivery', webhookDeliveryList, {
  orders: { createdAt: 'When it happened.' },
  filter: {
    webhookId: { type: 'ID', description: 'Deliveries to this webhook.' },
    event: { type: WebhookEvent, description: 'Deliveries of one of these events.' },
    status: { type: WebhookDeliveryStatus, description: 'Deliveries of which this became.' },
    createdAt: { description: 'Deliveries of what happened in this span of time.' },
    ids: { type: 'ID', description: 'Deliveries with one of these ids.' },
    webhookIds: { type: 'ID', description: 'Deliveries to one of these webhooks.' },
    attempts: { description: 'How often it was tried, since it was replayed last.' },
    responseStatus: { description: 'The HTTP status that was answered last; null where none was.' },
    durationMs: { description: 'How long the last try took, in milliseconds; null where none ended.' },
    webhook: { list: 'Webhook', description: 'Deliveries to a webhook that meets this filter.' },
  },
  groups: {
    moments: { createdAt: 'When it happened.' },
    by: {
      event: { type: WebhookEvent, description: 'What happened.' },
      status: { type: WebhookDeliveryStatus, description: 'What became of it.' },
      webhook: { description: 'The webhook that it goes to.' },
    },
    numbers: {
      attempts: 'How often it was tried, since it was replayed last.',
      durationMs: 'How long the last try took, in milliseconds.',
    },
    distinct: { webhookId: 'The webhooks that they go to.' },
  },
});

builder.queryFields((t) => ({
  webhookDeliveries: rootConnection(t, WebhookDeliveryList, 'What webhooks were sent, or are to be, newest first.'),
  webhookDelivery: rootRow(t, WebhookDeliveryList, 'One delivery to a webhook.'),
}));

const answers: [string, unknown, string] = ['delivery', WebhookDelivery, 'The delivery as it is now.'];

rowMutation('replayWebhookDelivery', {
  description:
    'Has an event delivered once more, under the same `webhook-id` and with the same body; one that waits for its next ' +
    'try is tried at once. It is tried as often as a new one.',
  answers,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the delivery.' }) }),
  permission: 'webhooks.write',
  resolve: (context, { id }) => replayWebhookDelivery(context, id),
});

rowMutation('testWebhook', {
  waits: true,
  description: 'Sends a `ping` to a webhook, also to a disabled one, once, and answers what came of it.',
  answers,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the webhook.' }) }),
  permission: 'webhooks.write',
  resolve: (context, { id }) => testWebhook(context, id),
});

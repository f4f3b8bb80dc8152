import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  shownWebhookSecret,
  updateWebhook,
  webhookList,
} from '../../src/domain/webhooks/webhooks.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';
import { WebhookDeliveryList, WebhookEvent } from './deliveries.ts';

const Webhook = builder.prismaNode('Webhook', {
  description: 'A URL that receives events of the workspace, signed according to the Standard Webhooks specification.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the webhook.' },
  nullable: true,
  findUnique: rowById('Webhook'),
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The URL that events are sent to, by POST requests with a JSON body.' }),
    description: t.exposeString('description', { description: 'The purpose of the webhook.' }),
    events: t.expose('events', {
      type: [WebhookEvent],
      description: 'Events that are sent to the webhook. An empty list means all events.',
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether new events are sent to the webhook.' }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why the webhook was disabled automatically. `null` if it was not.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'When deliveries started to fail. `null` if the last delivery succeeded. The webhook is disabled after ' +
        'five days.',
    }),
    secret: t.string({
      description: 'The signing secret: in full for owners and admins, otherwise only its last four characters.',
      extensions: { parleyColumns: ['secretCipher'] },
      resolve: (webhook, _args, context) => shownWebhookSecret(context, webhook),
    }),
    previousSecretUntil: t.expose('previousSecretUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when payloads are also signed with the previous secret. `null` if there was none.',
    }),
    runsAs: t.exposeID('runsAs', {
      description:
        'ID of the user or key that set `url` or enabled the webhook last. It is sent what they may read, and is ' +
        'disabled when they leave, are revoked or may no longer change webhooks.',
    }),
    ...auditFields(t),
    deliveries: relatedConnection(t, 'deliveries', WebhookDeliveryList, {
      description: 'Completed and pending deliveries to the webhook, newest first.',
    }),
  }),
});

const WebhookList = defineList(Webhook, 'Webhook', webhookList, {
  orders: { createdAt: 'When the webhook was created.' },
  filter: {
    enabled: { type: 'Boolean', description: 'Webhooks that are enabled (`true`) or disabled (`false`).' },
    ids: { type: 'ID', description: 'Webhooks with one of these IDs.' },
    url: { description: 'The URL that events are sent to.' },
    description: { description: 'The purpose of the webhook.' },
    createdAt: { description: 'Webhooks created in this time range.' },
    updatedAt: { description: 'Webhooks last updated in this time range.' },
  },
});

builder.queryFields((t) => ({
  webhooks: rootConnection(t, WebhookList, 'The webhooks of the workspace, newest first.'),
  webhook: rootRow(t, WebhookList, 'Returns a webhook by ID.'),
}));

const webhookFields = (t: InputBuilder) => ({
  description: t.string({ description: 'The purpose of the webhook.' }),
  events: t.field({
    type: [WebhookEvent],
    description: 'Events to send. An empty list means all events, which is the default for a new webhook.',
  }),
  enabled: t.boolean({ description: 'Whether to send events. Defaults to `true` for a new webhook.' }),
});
const payload = { field: 'webhook', type: Webhook, description: 'The webhook after the change.' };
const webhookId = (t: InputBuilder) => t.id({ required: true, description: 'ID of the webhook.' });
const url = 'The URL to send events to: an https address, or one on a host in FETCH_ALLOW_HOSTS.';

rowMutation('createWebhook', {
  description: 'Creates a webhook with its own secret. At most 20 per workspace.',
  payload,
  input: (t) => ({ url: t.string({ required: true, description: url }), ...webhookFields(t) }),
  permission: 'webhooks.write',
  resolve: (context, input) => createWebhook(context, input),
});

rowMutation('updateWebhook', {
  description:
    'Updates the given fields of a webhook. Omitted fields are unchanged. An enabled webhook is considered ' +
    'healthy again.',
  payload,
  input: (t) => ({ id: webhookId(t), url: t.string({ description: url }), ...webhookFields(t) }),
  write: updateWebhook,
});

rowMutation('rotateWebhookSecret', {
  description: 'Replaces the secret of a webhook. For 24 hours, payloads are signed with the old secret too.',
  payload,
  input: (t) => ({ id: webhookId(t) }),
  write: rotateWebhookSecret,
});

deleteMutation('deleteWebhook', {
  description: 'Deletes a webhook and its deliveries. Pending deliveries are not sent.',
  what: 'webhook',
  write: deleteWebhook,
});

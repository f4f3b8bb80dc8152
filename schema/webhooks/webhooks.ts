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
import { auditFields } from '../workspace/actors.ts';
import { WebhookDeliveryList, WebhookEvent } from './deliveries.ts';

const Webhook = builder.prismaNode('Webhook', {
  description: 'An address that is told what happens in the workspace, signed by the Standard Webhooks convention.',
  id: { field: 'id', description: 'The id of the webhook.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Where it is told, by POST requests with a JSON body.' }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    events: t.expose('events', { type: [WebhookEvent], description: 'What it is told of; empty: everything.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it is told of what happens now.' }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why the service disabled it; null when it did not.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when nothing could be delivered; null when the last delivery succeeded. Disabled in five days.',
    }),
    secret: t.string({
      description: 'The secret that signs: in full for owners and admins, else its last four characters.',
      extensions: { parleyColumns: ['secretCipher'] },
      resolve: (webhook, _args, context) => shownWebhookSecret(context, webhook),
    }),
    previousSecretUntil: t.expose('previousSecretUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before this one signs too; null when there was none.',
    }),
    ...auditFields(t),
    deliveries: relatedConnection(t, 'deliveries', WebhookDeliveryList, {
      description: 'What it was sent, or is to be, newest first.',
    }),
  }),
});

const WebhookList = defineList(Webhook, 'Webhook', webhookList, {
  orders: { createdAt: 'When it was made.' },
  filter: {
    enabled: { type: 'Boolean', description: 'Webhooks that are told of what happens, or that are not.' },
    ids: { type: 'ID', description: 'Webhooks with one of these ids.' },
    url: { description: 'Where it is told.' },
    description: { description: 'What it is for.' },
    createdAt: { description: 'Webhooks made in this span of time.' },
    updatedAt: { description: 'Webhooks changed last in this span of time.' },
  },
});

builder.queryFields((t) => ({
  webhooks: rootConnection(t, WebhookList, 'The webhooks of the workspace, newest first.'),
  webhook: rootRow(t, WebhookList, 'One webhook.'),
}));

const webhookFields = (t: InputBuilder) => ({
  description: t.string({ description: 'What it is for.' }),
  events: t.field({ type: [WebhookEvent], description: 'What it is told of; empty or left out at first: everything.' }),
  enabled: t.boolean({ description: 'Whether it is told of what happens; true when left out at first.' }),
});
const answers: [string, unknown, string] = ['webhook', Webhook, 'The webhook as it is now.'];
const webhookId = (t: InputBuilder) => t.id({ required: true, description: 'The id of the webhook.' });
const url = 'Where it is told: an https address, or one of a host in FETCH_ALLOW_HOSTS.';

rowMutation('createWebhook', {
  description: 'Makes a webhook with a secret of its own. A workspace may have 20.',
  answers,
  input: (t) => ({ url: t.string({ required: true, description: url }), ...webhookFields(t) }),
  permission: 'webhooks.write',
  resolve: (context, input) => createWebhook(context, input as never),
});

rowMutation('updateWebhook', {
  updates: { model: 'Webhook' },
  description: 'Changes what is given of a webhook; what is left out stays. One that is enabled is taken for healthy.',
  answers,
  input: (t) => ({ id: webhookId(t), url: t.string({ description: url }), ...webhookFields(t) }),
  write: updateWebhook,
});

rowMutation('rotateWebhookSecret', {
  updates: { model: 'Webhook' },
  description: 'Gives a webhook a new secret. For 24 hours the old one signs beside it.',
  answers,
  input: (t) => ({ id: webhookId(t) }),
  permission: 'webhooks.write',
  resolve: (context, { id }) => rotateWebhookSecret(context, id),
});

deleteMutation('deleteWebhook', {
  updates: { model: 'Webhook' },
  description: 'Removes a webhook with its deliveries; what waits to be delivered is not sent.',
  what: 'webhook',
  write: deleteWebhook,
});

import { z } from 'zod';
import type { Context } from '../../context.ts';
import { conflict, forbidden, invalid, notFound } from '../../core/errors.ts';
import { may, permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { lockNames } from '../../database/advisory.ts';
import { transact } from '../../database/client.ts';
import type { Webhook } from '../../database/generated/prisma/client.ts';
import { WebhookEvent } from '../../database/generated/prisma/enums.ts';
import { newId } from '../../database/ids.ts';
import { change, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { maySendSecrets } from '../plugins/client.ts';
import { parseInput, type Unvalidated } from '../shared/input.ts';
import { refuseMintedToken } from '../shared/minted-tokens.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { hasCredentials, noCredentials } from '../shared/web-address.ts';
import { mayRead, readingOf } from './events.ts';
import { newWebhookSecret } from './signature.ts';

export const webhookList = listRule({
  model: 'Webhook',
  permission: 'webhooks.read',
  orders: { createdAt: { type: 'date' } },
  filters: {
    enabled: { kind: 'equals', column: 'enabled' },
    ids: { kind: 'in', column: 'id' },
    url: { kind: 'text', column: 'url' },
    description: { kind: 'text', column: 'description' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

const maxWebhooks = 20;
/** How long the old secret is used along with the new one, in milliseconds. */
const overlapMs = 24 * 3_600_000;

const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_000);
const webhookChange = z.object({
  url: address.optional(),
  description: z.string().max(2_000).optional(),
  events: z.array(z.enum(WebhookEvent)).max(20).optional(),
  enabled: z.boolean().optional(),
});
const webhookInput = webhookChange.extend({ url: address });

/**
 * Creates a webhook with its own secret. Throws 400, 403 for events that the viewer may not read, and 409 `conflict` if
 * the workspace already has 20.
 */
export async function createWebhook(
  context: Context,
  input: Unvalidated<z.input<typeof webhookInput>>,
): Promise<Webhook> {
  permit(context, 'webhooks.write');
  const data = parseInput(webhookInput, input);
  requireSafe(context, data.url);
  requireOwn(context);
  requireReadable(context, data.events);
  const { workspaceId } = context.viewer;
  const actor = actorOf(context.viewer);
  return transact(context.database, async (tx) => {
    await lockNames(tx, [`webhooks ${workspaceId}`]);
    if ((await tx.webhook.count({ where: { workspaceId } })) >= maxWebhooks) {
      throw conflict(
        `The workspace already has ${maxWebhooks} webhooks, the maximum: delete one first, with the GraphQL mutation deleteWebhook.`,
      );
    }
    const secretCipher = context.secrets.encrypt(newWebhookSecret());
    return tx.webhook.create({
      data: {
        ...data,
        id: newId('webhook'),
        workspaceId,
        secretCipher,
        runsAs: actor,
        createdBy: actor,
        updatedBy: actor,
      },
    });
  });
}

/**
 * Updates the given properties of a webhook. Setting `enabled` or another URL resets its failures. Whoever sets the URL
 * or enables it lends it their rights. Throws 400, 403 for events that the viewer may not read, and 404.
 */
export const updateWebhook = rowWrite({
  model: 'Webhook',
  permission: 'webhooks.write',
  prepare: async (context, { id, ...input }: z.input<typeof webhookChange> & { id: string }) => {
    const data = parseInput(webhookChange, input);
    if (data.url) requireSafe(context, data.url);
    const found = await context.database.webhook.findFirst({ where: rowWithId(context, id) });
    if (!found) throw notFound('Webhook');
    const moves = data.url !== undefined && data.url !== found.url;
    const takesOver = data.url !== undefined || data.enabled === true;
    if (takesOver) requireOwn(context);
    if (takesOver || data.events) requireReadable(context, data.events ?? found.events);
    return change('Webhook', rowWithId(context, id), {
      ...data,
      ...(moves && { failingSince: null }),
      ...(takesOver && { runsAs: actorOf(context.viewer) }),
      ...(data.enabled !== undefined && { disabledReason: null, failingSince: null }),
      updatedBy: actorOf(context.viewer),
    });
  },
});

/** Deletes a webhook with its deliveries; pending ones are not sent. Throws 404. */
export const deleteWebhook = rowWrite({
  model: 'Webhook',
  permission: 'webhooks.write',
  prepare: (context, { id }: { id: string }) => {
    return removal('Webhook', rowWithId(context, id));
  },
});

/**
 * Replaces the secret of a webhook. For 24 hours messages are also signed with the old one. Throws 404, and 409 if it
 * is rotated concurrently.
 */
export const rotateWebhookSecret = rowWrite({
  model: 'Webhook',
  permission: 'webhooks.write',
  prepare: async (context, { id }: { id: string }) => {
    const { database, secrets, now, viewer } = context;
    const where = rowWithId(context, id);
    const found = await database.webhook.findFirst({ where });
    if (!found) throw notFound('Webhook');
    return change(
      'Webhook',
      { ...where, secretCipher: found.secretCipher },
      {
        secretCipher: secrets.encrypt(newWebhookSecret()),
        previousSecretCipher: found.secretCipher,
        previousSecretUntil: new Date(now().getTime() + overlapMs),
        updatedBy: actorOf(viewer),
      },
    );
  },
  fallback: () => {
    throw conflict('The secret of the webhook was changed by somebody else at the same moment: try again.');
  },
});

/** The secret of a webhook: in full for viewers who may change it, else its last four characters. */
export function shownWebhookSecret({ secrets, viewer }: Context, { secretCipher }: Webhook): string {
  const secret = secrets.decrypt(secretCipher);
  return may(viewer, 'webhooks.write') ? secret : `${secret.slice(0, 6)}••••${secret.slice(-4)}`;
}

const requireOwn = (context: Context): void =>
  refuseMintedToken(
    context,
    'create, redirect or enable a webhook',
    'a key, or a token from the identity provider or the operator',
  );

/** Throws 403 `forbidden` if the viewer may not read one of these events; none are all of them. */
function requireReadable(context: Context, events: WebhookEvent[] = []): void {
  const named = events.length > 0 ? events : Object.values(WebhookEvent);
  const closed = named.filter((event) => !mayRead(context.viewer, event));
  if (closed.length === 0) return;
  const scopes = [...new Set(closed.map(readingOf))].join(', ');
  throw forbidden(
    `events: ${closed.join(', ')}: needs ${scopes}, which ${context.viewer.key ? 'this key lacks' : 'you lack'}. Name the events to send, without these.`,
  );
}

/** Personal data is sent by https only, except to hosts that the operator allows. */
function requireSafe(context: Context, url: string): void {
  if (!maySendSecrets(context, url)) throw invalid('url: must be an https address.');
  if (hasCredentials(url)) throw invalid(`url: ${noCredentials}: deliveries there would fail.`);
}

import { currentViewer } from '../../auth/current-viewer.ts';
import type { Services } from '../../context.ts';
import { failedUnexpectedly } from '../../core/errors.ts';
import { may } from '../../core/permissions.ts';
import { inSpan } from '../../core/tracing.ts';
import type { OutboxEvent, Prisma, Webhook, WebhookDelivery } from '../../database/generated/prisma/client.ts';
import type { WebhookEvent } from '../../database/generated/prisma/enums.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import type { EventReader } from '../shared/row-events.ts';
import { type ClaimedDelivery, recordOutcome } from './claims.ts';
import { mayRead, readingOf, rowEvents } from './events.ts';
import { signedHeaders } from './signature.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays after the first attempt, the second, and so on, as proposed by Standard Webhooks: three days in all. */
const pausesMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;
/** A webhook whose deliveries have all failed for this long is disabled. */
const disableAfterMs = 5 * 24 * hour;
const attemptTimeoutMs = 15 * second;

type Outcome = { responseStatus: number | null; error: string | null };
type Sending = Pick<Services, 'database' | 'guardedFetch' | 'secrets' | 'now' | 'leaseTime' | 'log' | 'config'>;
type FullDelivery = WebhookDelivery & { webhook: Webhook; outboxEvent: OutboxEvent };
type SendOptions = { signal?: AbortSignal; timeoutMs?: number };

/**
 * Sends a claimed delivery and stores the result. An aborted one does not count as an attempt and is due again at once.
 * The delivery has a trace of its own, linked to what caused its event.
 */
export const sendDelivery = (services: Sending, claimed: ClaimedDelivery, options: SendOptions = {}): Promise<void> =>
  inSpan(
    () => describeDelivery(claimed),
    () => deliver(services, claimed, options),
  );

const describeDelivery = ({ id, webhookId, workspaceId, event, traceparent }: ClaimedDelivery) => ({
  link: traceparent,
  name: 'deliver webhook',
  attributes: {
    'parley.delivery.id': id,
    'parley.webhook.id': webhookId,
    'parley.workspace.id': workspaceId,
    'parley.event': event,
  },
});

async function deliver(services: Sending, claimed: WebhookDelivery, options: SendOptions): Promise<void> {
  const { database, leaseTime } = services;
  const include = { webhook: true, outboxEvent: true } as const;
  const where = { workspaceId_id: { workspaceId: claimed.workspaceId, id: claimed.id } };
  const found = await database.webhookDelivery.findUnique({ where, include });
  if (!found) return;
  const { webhook, event } = found;
  const refusal = event === 'ping' ? null : await refusalOf(services, webhook, event);
  if (refusal) return recordOutcome(database, claimed, { status: 'failed', nextAttemptAt: null, error: refusal });
  const began = performance.now();
  const outcome = await attempt(services, found, options);
  if (!outcome)
    return recordOutcome(database, claimed, { attempts: claimed.attempts - 1, nextAttemptAt: await leaseTime() });
  const { isOurs, ...result } = { ...outcome, durationMs: Math.round(performance.now() - began) };
  if (result.error === null) {
    await recordOutcome(database, claimed, { ...result, status: 'succeeded', nextAttemptAt: null });
  } else {
    if (!isOurs) logFailure(services, found, outcome);
    const pause = event === 'ping' ? undefined : pausesMs[claimed.attempts - 1];
    const retryAt =
      pause === undefined
        ? ({ status: 'failed', nextAttemptAt: null } as const)
        : { nextAttemptAt: new Date((await leaseTime()).getTime() + pause) };
    await recordOutcome(database, claimed, { ...result, ...retryAt });
  }
  if (event !== 'ping' && !isOurs) await recordHealth(services, webhook, outcome);
}

/**
 * Why an event may not be sent; null if it may. A webhook is sent what the member or key behind it may read now, and is
 * disabled once they are gone or may have no webhook.
 */
async function refusalOf(services: Sending, webhook: Webhook, event: WebhookEvent): Promise<string | null> {
  if (!webhook.enabled) return 'The webhook is disabled.';
  const { workspaceId, runsAs } = webhook;
  const rights = await currentViewer(services, workspaceId, runsAs);
  if (rights && may(rights, 'webhooks.write')) {
    return mayRead(rights, event) ? null : `${runsAs}, with whose rights events are sent, lacks ${readingOf(event)}.`;
  }
  const reason = `Events are sent with the rights of ${runsAs}, which has left, has ended or lacks webhooks.write. Enable the webhook to send them with yours (updateWebhook).`;
  await disable(services, { ...webhook, reason }, { runsAs });
  return reason;
}

function logFailure({ log }: Sending, { id, webhook }: FullDelivery, { responseStatus, error }: Outcome): void {
  const { id: webhookId, workspaceId } = webhook;
  const cause = `webhook ${webhookId}: ${error}`;
  log.warn(
    { cause, webhookId, workspaceId, deliveryId: id, status: responseStatus, reason: error },
    'a webhook failed',
  );
}

/** Makes one attempt. Null if it was aborted at shutdown. `isOurs`: it failed before reaching the receiver. */
async function attempt(
  services: Sending,
  found: FullDelivery,
  options: SendOptions,
): Promise<(Outcome & { body: string | null; isOurs: boolean }) | null> {
  let { body } = found;
  try {
    body ??= await payloadOf(services, found.outboxEvent);
    return { ...(await post(services, found, body, options)), body, isOurs: false };
  } catch (error) {
    if (options.signal?.aborted) return null;
    services.log.error({ err: error, deliveryId: found.id }, 'A webhook delivery failed unexpectedly');
    return {
      responseStatus: null,
      error: failedUnexpectedly,
      body,
      isOurs: true,
    };
  }
}

async function post(
  { guardedFetch, secrets, now }: Pick<Services, 'guardedFetch' | 'secrets' | 'now'>,
  { webhook, eventId }: FullDelivery,
  body: string,
  { signal, timeoutMs = attemptTimeoutMs }: SendOptions,
): Promise<Outcome> {
  const time = now();
  const { secretCipher, previousSecretCipher: previous, previousSecretUntil: until } = webhook;
  const ciphers = [secretCipher, ...(previous && until && until > time ? [previous] : [])];
  const signing = ciphers.map((cipher) => secrets.decrypt(cipher));
  try {
    const { status } = await guardedFetch(webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signedHeaders(signing, eventId, time, body) },
      body,
      timeoutMs,
      anyStatus: true,
      cut: true,
      maxBytes: 10_000,
      whole: true,
      propagates: true,
      ...(signal && { signal }),
    });
    const error = status < 300 ? null : `The receiver responded with ${status}.`;
    return { responseStatus: status, error };
  } catch (error) {
    if (error instanceof FetchFailure) return { responseStatus: error.status, error: `${error.message}.` };
    throw error;
  }
}

/**
 * Tracks since when a webhook has been failing, and disables it after `disableAfterMs` or when the receiver responds
 * 410. Results for an earlier URL do not count, and a success in the meantime prevents the disabling after
 * `disableAfterMs`.
 */
async function recordHealth(
  services: Sending,
  { id, workspaceId, url, failingSince }: Webhook,
  { responseStatus, error }: Outcome,
): Promise<void> {
  const { database, now } = services;
  const same = { id, url };
  if (error === null) {
    await database.webhook.updateMany({
      where: { ...same, failingSince: { not: null } },
      data: { failingSince: null },
    });
    return;
  }
  const time = now();
  if (!failingSince) {
    await database.webhook.updateMany({ where: { ...same, failingSince: null }, data: { failingSince: time } });
  }
  const isGone = responseStatus === 410;
  const isFailingTooLong = failingSince !== null && time.getTime() - failingSince.getTime() > disableAfterMs;
  if (!isGone && !isFailingTooLong) return;
  const reason = isGone
    ? 'The receiver responded with 410 Gone: it wants no more deliveries.'
    : `No delivery has succeeded since ${failingSince?.toISOString()}. Last error: ${error}`;
  await disable(services, { id, workspaceId, reason }, { url, ...(!isGone && { failingSince }) });
}

/** Disables a webhook that is still as described in `unchanged`. */
async function disable(
  { database, log }: Sending,
  { id, workspaceId, reason }: Pick<Webhook, 'id' | 'workspaceId'> & { reason: string },
  unchanged: Prisma.WebhookWhereInput,
): Promise<void> {
  const disabled = await database.webhook.updateMany({
    where: { workspaceId, id, enabled: true, ...unchanged },
    data: { enabled: false, disabledReason: reason },
  });
  if (disabled.count > 0) log.warn({ webhookId: id, workspaceId, reason }, 'A webhook was disabled');
}

type Ids = Record<string, string | undefined>;

/**
 * The payload of an event: `{type, timestamp, workspaceId, data}`. `data` has the ids of the event and, as `message`,
 * `conversation`, `lead`, `source` or `alert`, the current row, null if it has been deleted.
 */
export async function payloadOf(services: EventReader, event: OutboxEvent): Promise<string> {
  const { type, createdAt: timestamp, workspaceId } = event;
  const eventIds = event.data as Ids;
  const subject = type.split('.')[0] ?? '';
  const id = eventIds[`${subject}Id`];
  const row = id && (await rowEvents.find((one) => one.subject === subject)?.read(services, { workspaceId, id }));
  const data = { ...eventIds, ...(row !== undefined && id && { [subject]: row }) };
  return JSON.stringify({ type, timestamp, workspaceId, data });
}

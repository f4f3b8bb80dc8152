import type { Services } from '../context.ts';
import { databaseFailureCause } from '../database/errors.ts';
import { claimDeliveries } from '../domain/webhooks/claims.ts';
import { sendDelivery } from '../domain/webhooks/send.ts';

export type Webhooks = {
  /** Resolves once nothing is due or in flight. For tests. */
  idle(): Promise<void>;
  /** Takes no more deliveries and aborts those in flight, which become due again at once. */
  close(): Promise<void>;
};

type Options = {
  /** Polling interval for due deliveries, in milliseconds: one small read. */
  pollIntervalMs?: number;
  /** Time limit of one attempt, in milliseconds. */
  timeoutMs?: number;
};

/** The maximum number of deliveries in flight per process. */
const maxConcurrent = 16;

/**
 * Delivers events to webhooks until `close`. A delivery is a row, created with its event, that doubles as the job: it
 * says when it is due, and the process that claims it has a lease of one minute. So no second queue is needed, any
 * number of replicas share the work, and the deliveries of a dead process are picked up by others.
 */
export function startWebhooks(services: Services, { pollIntervalMs = 1_000, timeoutMs }: Options = {}): Webhooks {
  const closing = new AbortController();
  const inProgress = new Set<Promise<void>>();
  const busy = new Map<string, number>();
  let polling: Promise<void> | null = null;

  const count = (webhookId: string, by: number) => {
    const count = (busy.get(webhookId) ?? 0) + by;
    if (count === 0) busy.delete(webhookId);
    else busy.set(webhookId, count);
  };
  const claimDue = async (): Promise<void> => {
    if (closing.signal.aborted || inProgress.size >= maxConcurrent) return;
    for (const delivery of await claimDeliveries(services, { max: maxConcurrent - inProgress.size, busy })) {
      count(delivery.webhookId, 1);
      const options = { signal: closing.signal, ...(timeoutMs && { timeoutMs }) };
      const sending = sendDelivery(services, delivery, options)
        .catch((error: unknown) => {
          if (!closing.signal.aborted)
            services.log.error({ err: error, deliveryId: delivery.id }, 'The deliveries to a webhook failed');
        })
        .finally(() => {
          inProgress.delete(sending);
          count(delivery.webhookId, -1);
          void poll();
        });
      inProgress.add(sending);
    }
  };
  const poll = (): Promise<void> => {
    polling ??= claimDue()
      .catch((error: unknown) => {
        const cause = databaseFailureCause(error);
        services.log.error({ cause, err: error }, 'Due webhook deliveries could not be queried');
      })
      .finally(() => {
        polling = null;
      });
    return polling;
  };
  const interval = setInterval(() => void poll(), pollIntervalMs).unref();

  return {
    async idle() {
      do {
        await Promise.all(inProgress);
        await poll();
      } while (inProgress.size > 0);
    },
    async close() {
      clearInterval(interval);
      closing.abort();
      await polling;
      await Promise.all(inProgress);
    },
  };
}

import type { Services } from '../context.ts';
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
  lookMs?: number;
  /** Time limit of one attempt, in milliseconds. */
  timeoutMs?: number;
};

/** The maximum number of deliveries in flight per process. */
const most = 16;

/**
 * Delivers events to webhooks until `close`. A delivery is a row, created with its event, that doubles as the job: it
 * says when it is due, and the process that claims it has a lease of one minute. So no second queue is needed, any
 * number of replicas share the work, and the deliveries of a dead process are picked up by others.
 */
export function startWebhooks(services: Services, { lookMs = 1_000, timeoutMs }: Options = {}): Webhooks {
  const leaving = new AbortController();
  const underWay = new Set<Promise<void>>();
  const busy = new Map<string, number>();
  let looking: Promise<void> | null = null;

  const count = (webhookId: string, by: number) => {
    const left = (busy.get(webhookId) ?? 0) + by;
    if (left === 0) busy.delete(webhookId);
    else busy.set(webhookId, left);
  };
  const take = async (): Promise<void> => {
    if (leaving.signal.aborted || underWay.size >= most) return;
    for (const delivery of await claimDeliveries(services, { most: most - underWay.size, busy })) {
      count(delivery.webhookId, 1);
      const sending = sendDelivery(services, delivery, { signal: leaving.signal, ...(timeoutMs && { timeoutMs }) })
        .catch((error: unknown) => {
          if (!leaving.signal.aborted)
            services.log.error({ err: error, deliveryId: delivery.id }, 'The deliveries to a webhook failed');
        })
        .finally(() => {
          underWay.delete(sending);
          count(delivery.webhookId, -1);
          void look();
        });
      underWay.add(sending);
    }
  };
  const look = (): Promise<void> => {
    looking ??= take()
      .catch((error: unknown) => services.log.error({ err: error }, 'Due webhook deliveries could not be queried'))
      .finally(() => {
        looking = null;
      });
    return looking;
  };
  const interval = setInterval(() => void look(), lookMs).unref();

  return {
    async idle() {
      do {
        await Promise.all(underWay);
        await look();
      } while (underWay.size > 0);
    },
    async close() {
      clearInterval(interval);
      leaving.abort();
      await looking;
      await Promise.all(underWay);
    },
  };
}

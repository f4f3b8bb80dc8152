import type { Services } from '../context.ts';
import { claimDeliveries } from '../domain/webhooks/claims.ts';
import { sendDelivery } from '../domain/webhooks/send.ts';

export type Webhooks = {
  /** Resolves when nothing is due and nothing is under way. For tests. */
  idle(): Promise<void>;
  /** Takes no more deliveries, and aborts those that are under way: they are due again at once. */
  close(): Promise<void>;
};

type Options = {
  /** How often what is due is looked for, in milliseconds: one small read. */
  lookMs?: number;
  /** How long one try may take. */
  timeoutMs?: number;
};

/** How many deliveries a process has in hand at once. */
const most = 16;

/**
 * Delivers events to webhooks, from now on and until `close`. A delivery is a row, made with its event, and the row is
 * the job: it says when it is due, and a process that takes it has it for a minute. So nothing is to be handed over to
 * another queue, any number of replicas share the work, and what a dead process had in hand is taken up by the next.
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
          if (!leaving.signal.aborted) services.log.error({ err: error, deliveryId: delivery.id }, 'A webhook failed');
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
      .catch((error: unknown) => services.log.error({ err: error }, 'Deliveries to webhooks could not be looked for'))
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

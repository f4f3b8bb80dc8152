import type { Database } from '../database/client.ts';
import type { WebhookDelivery } from '../database/generated/prisma/client.ts';
import type { Services } from '../services.ts';

/** How long a process has a delivery for itself. Longer than a try may take, so that no other one takes it meanwhile. */
const leaseMs = 60_000;
/** How many deliveries to one webhook a process has in hand: a slow receiver must not keep the others waiting. */
const perWebhook = 4;
/** Among how many of those that are due the next ones are chosen. */
const lookedAt = 500;

type Due = { most: number; busy: Map<string, number> };

/**
 * Takes deliveries that are due, each by one process only: at most `most`, and few of any one webhook; `busy` tells how
 * many of each are in hand. One that is not settled is due again when the lease is over.
 */
export async function claimDeliveries({ database, now }: Services, { most, busy }: Due): Promise<WebhookDelivery[]> {
  const full = [...busy].filter(([, count]) => count >= perWebhook).map(([id]) => id);
  const time = now();
  const ids = await database.$queryRaw<{ id: string }[]>`
    UPDATE "WebhookDelivery" SET "attempts" = "attempts" + 1, "claims" = "claims" + 1,
      "lastAttemptAt" = ${time}, "nextAttemptAt" = ${leaseEnd(time)}
    WHERE "id" IN (
      SELECT "id" FROM "WebhookDelivery" WHERE "status" = 'pending' AND "nextAttemptAt" <= ${time} AND "id" IN (
        SELECT "id" FROM (
          SELECT "id", row_number() OVER (PARTITION BY "webhookId" ORDER BY "nextAttemptAt", "id") AS place FROM (
            SELECT "id", "webhookId", "nextAttemptAt" FROM "WebhookDelivery"
            WHERE "status" = 'pending' AND "nextAttemptAt" <= ${time} AND "webhookId" <> ALL (${full}::text[])
            ORDER BY "nextAttemptAt" LIMIT ${lookedAt}
          ) due
        ) ranked WHERE place <= ${perWebhook} ORDER BY place LIMIT ${most}
      ) FOR UPDATE SKIP LOCKED
    ) RETURNING "id"`;
  return ids.length === 0 ? [] : database.webhookDelivery.findMany({ where: { id: { in: ids.map(({ id }) => id) } } });
}

/** Takes one delivery that was just made, unless another process was sooner. */
export async function claimDelivery(
  { database, now }: Pick<Services, 'database' | 'now'>,
  id: string,
): Promise<WebhookDelivery | null> {
  const time = now();
  const [claimed] = await database.webhookDelivery.updateManyAndReturn({
    where: { id, status: 'pending', claims: 0 },
    data: {
      attempts: { increment: 1 },
      claims: { increment: 1 },
      lastAttemptAt: time,
      nextAttemptAt: leaseEnd(time),
    },
  });
  return claimed ?? null;
}

/** What came of a try, written by whoever has the delivery; nothing when another process has it by now. */
export async function settle(
  database: Database,
  { id, claims }: WebhookDelivery,
  data: Partial<WebhookDelivery>,
): Promise<void> {
  await database.webhookDelivery.updateMany({ where: { id, claims, status: 'pending' }, data });
}

const leaseEnd = (time: Date) => new Date(time.getTime() + leaseMs);

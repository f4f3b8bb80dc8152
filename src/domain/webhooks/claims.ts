import type { Services } from '../../context.ts';
import type { Database, Transaction } from '../../database/client.ts';
import type { WebhookDelivery } from '../../database/generated/prisma/client.ts';

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
export async function claimDeliveries(
  { database, leaseTime }: Services,
  { most, busy }: Due,
): Promise<WebhookDelivery[]> {
  const full = [...busy].filter(([, count]) => count >= perWebhook).map(([id]) => id);
  const [ids, counts] = [[...busy.keys()], [...busy.values()]];
  const time = await leaseTime();
  const taken = await database.$queryRaw<{ id: string }[]>`
    UPDATE "WebhookDelivery" SET "attempts" = "attempts" + 1, "claims" = "claims" + 1,
      "lastAttemptAt" = ${time}, "nextAttemptAt" = ${leaseEnd(time)}
    WHERE "id" IN (
      SELECT "id" FROM "WebhookDelivery" WHERE "status" = 'pending' AND "nextAttemptAt" <= ${time} AND "id" IN (
        SELECT ranked."id" FROM (
          SELECT "id", "webhookId", row_number() OVER (PARTITION BY "webhookId" ORDER BY "nextAttemptAt", "id") AS place
          FROM (
            SELECT "id", "webhookId", "nextAttemptAt" FROM "WebhookDelivery"
            WHERE "status" = 'pending' AND "nextAttemptAt" <= ${time} AND "webhookId" <> ALL (${full}::text[])
            ORDER BY "nextAttemptAt" LIMIT ${lookedAt}
          ) due
        ) ranked LEFT JOIN unnest(${ids}::text[], ${counts}::int[]) AS busy("webhookId", count) USING ("webhookId")
        WHERE place + coalesce(busy.count, 0) <= ${perWebhook} ORDER BY place LIMIT ${most}
      ) FOR UPDATE SKIP LOCKED
    ) RETURNING "id"`;
  if (taken.length === 0) return [];
  return database.webhookDelivery.findMany({ where: { id: { in: taken.map(({ id }) => id) } } });
}

/** Takes a delivery in the transaction that makes it, before any other process can see it. */
export async function claimNew(
  tx: Transaction,
  where: { workspaceId: string; eventId: string },
  time: Date,
): Promise<WebhookDelivery> {
  const { id } = await tx.webhookDelivery.findFirstOrThrow({ where, select: { id: true } });
  const taken = { attempts: 1, claims: 1, lastAttemptAt: time, nextAttemptAt: leaseEnd(time) };
  return tx.webhookDelivery.update({ where: { id }, data: taken });
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

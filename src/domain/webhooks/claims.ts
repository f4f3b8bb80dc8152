import type { Services } from '../../context.ts';
import type { Database, Transaction } from '../../database/client.ts';
import type { WebhookDelivery } from '../../database/generated/prisma/client.ts';
import { inWorkspaces } from '../../database/upkeep/batches.ts';

/**
 * Lease of a delivery, in milliseconds; longer than an attempt may take, so that no other process claims it meanwhile.
 */
const leaseMs = 60_000;
/** Deliveries in progress per webhook and process: a slow receiver must not delay the others. */
const perWebhook = 4;
/** How many due deliveries are considered for a claim. */
const batchSize = 500;

/** A claimed delivery, with the span that caused its event, as a `traceparent`. */
export type ClaimedDelivery = WebhookDelivery & { traceparent: string | null };

type Due = { max: number; busy: Map<string, number> };

/**
 * Claims up to `max` due deliveries, each by one process only, and few per webhook; `busy` has the number in progress
 * for each. A delivery that is not settled is due again when its lease expires.
 */
export async function claimDeliveries(
  { database, leaseTime }: Services,
  { max, busy }: Due,
): Promise<ClaimedDelivery[]> {
  const busyWebhookIds = [...busy].filter(([, count]) => count >= perWebhook).map(([id]) => id);
  const [ids, counts] = [[...busy.keys()], [...busy.values()]];
  const time = await leaseTime();
  const due = await database.$queryRaw<{ workspaceId: string; id: string }[]>`
    SELECT ranked."workspaceId", ranked."id" FROM (
      SELECT "workspaceId", "id", "webhookId", row_number() OVER (PARTITION BY "webhookId" ORDER BY "nextAttemptAt", "id") AS place
      FROM (
        SELECT "workspaceId", "id", "webhookId", "nextAttemptAt" FROM "WebhookDelivery"
        WHERE "status" = 'pending' AND "nextAttemptAt" <= ${time} AND "webhookId" <> ALL (${busyWebhookIds}::text[])
        ORDER BY "nextAttemptAt" LIMIT ${batchSize}
      ) due
    ) ranked LEFT JOIN unnest(${ids}::text[], ${counts}::int[]) AS busy("webhookId", count) USING ("webhookId")
    WHERE place + coalesce(busy.count, 0) <= ${perWebhook} ORDER BY place LIMIT ${max}`;
  const claimed: ClaimedDelivery[] = [];
  await inWorkspaces(due, async (workspaceId, deliveries) => {
    const rows = await claim(
      database,
      workspaceId,
      deliveries.map(({ id }) => id),
      time,
    );
    return claimed.push(...rows);
  });
  return claimed;
}

/** Claims those deliveries of a workspace that are still due, and that no other process claims at the moment. */
const claim = (database: Database, workspaceId: string, ids: string[], time: Date): Promise<ClaimedDelivery[]> =>
  database.$queryRaw`
    WITH held AS MATERIALIZED (
      SELECT d."id", event."traceparent" FROM "WebhookDelivery" AS d
      JOIN "OutboxEvent" AS event ON event."workspaceId" = ${workspaceId} AND event."id" = d."eventId"
      WHERE d."workspaceId" = ${workspaceId} AND d."id" = ANY (${ids}::text[]) AND d."status" = 'pending'
        AND d."nextAttemptAt" <= ${time}
      FOR UPDATE OF d SKIP LOCKED
    )
    UPDATE "WebhookDelivery" AS due SET "attempts" = due."attempts" + 1, "claims" = due."claims" + 1,
      "lastAttemptAt" = ${time}, "nextAttemptAt" = ${leaseEnd(time)}
    FROM held WHERE due."workspaceId" = ${workspaceId} AND due."id" = held."id"
    RETURNING due.*, held."traceparent"`;

/** Claims a delivery in the transaction that creates it, before other processes can see it. */
export async function claimNew(
  tx: Transaction,
  where: { workspaceId: string; eventId: string },
  time: Date,
): Promise<ClaimedDelivery> {
  const { id } = await tx.webhookDelivery.findFirstOrThrow({ where, select: { id: true } });
  const claimed = { attempts: 1, claims: 1, lastAttemptAt: time, nextAttemptAt: leaseEnd(time) };
  const key = { workspaceId_id: { workspaceId: where.workspaceId, id } };
  const include = { outboxEvent: { select: { traceparent: true } } } as const;
  const { outboxEvent, ...delivery } = await tx.webhookDelivery.update({ where: key, data: claimed, include });
  return { ...delivery, traceparent: outboxEvent.traceparent };
}

/** Stores the result of an attempt, unless another process has claimed the delivery since. */
export async function recordOutcome(
  database: Database,
  { workspaceId, id, claims }: WebhookDelivery,
  data: Partial<WebhookDelivery>,
): Promise<void> {
  await database.webhookDelivery.updateMany({ where: { workspaceId, id, claims, status: 'pending' }, data });
}

const leaseEnd = (time: Date) => new Date(time.getTime() + leaseMs);

import type { Services } from '../../context.ts';
import { deleteExpired, inBatches } from '../../database/upkeep/batches.ts';

/** Events per statement: each has as many deliveries as webhooks received it. */
const batchSize = 100;
const dayMs = 24 * 3_600_000;
/** How long events are kept, in milliseconds. */
const retentionMs = 30 * dayMs;

/** Deletes expired events with their deliveries, sooner in workspaces that keep them for fewer days. */
export async function clearEvents({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  const before = new Date(now().getTime() - retentionMs);
  await deleteExpired(database, 'OutboxEvent', before, batchSize);
  const limited = await database.$queryRaw<{ workspaceId: string; days: number }[]>`
    SELECT "workspaceId", ("retention" ->> 'deliveries')::int AS "days" FROM "Settings" WHERE "retention" ? 'deliveries'`;
  for (const { workspaceId, days } of limited) {
    const since = new Date(now().getTime() - days * dayMs);
    // Those with the lowest positions are the oldest: no more are read, even if none has expired.
    await inBatches(
      () => database.$executeRaw`
        WITH oldest AS MATERIALIZED (
          SELECT "id", "createdAt" FROM "OutboxEvent" WHERE "workspaceId" = ${workspaceId}
          ORDER BY "position" LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM "OutboxEvent" AS event USING oldest
        WHERE event."workspaceId" = ${workspaceId} AND event."id" = oldest."id" AND oldest."createdAt" <= ${since}`,
      batchSize,
    );
  }
}

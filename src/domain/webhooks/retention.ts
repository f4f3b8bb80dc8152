import type { Services } from '../../context.ts';

/** How long events are kept, in milliseconds. */
const retentionMs = 30 * 24 * 3_600_000;

/** Deletes expired events with their deliveries, sooner in workspaces that keep them for fewer days. */
export async function clearEvents({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  await database.outboxEvent.deleteMany({ where: { createdAt: { lte: new Date(now().getTime() - retentionMs) } } });
  await database.$executeRaw`
    DELETE FROM "OutboxEvent" e USING "Settings" s
    WHERE s."retention" ? 'deliveries' AND e."workspaceId" = s."workspaceId"
      AND e."createdAt" <= ${now()}::timestamptz - (s."retention" ->> 'deliveries')::int * interval '1 day'`;
}

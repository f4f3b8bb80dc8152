import type { Services } from '../../context.ts';

/** How long events are kept, in milliseconds. */
const retentionMs = 30 * 24 * 3_600_000;

/** Deletes expired events with their deliveries. */
export async function clearEvents({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  await database.outboxEvent.deleteMany({ where: { createdAt: { lte: new Date(now().getTime() - retentionMs) } } });
}

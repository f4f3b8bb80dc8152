import type { Services } from '../../context.ts';

/** How long what happened is kept for those who are to be told, in milliseconds. */
const eventsKeptMs = 30 * 24 * 3_600_000;

/** Takes away events whose time is over, with their deliveries. */
export async function clearEvents({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  await database.outboxEvent.deleteMany({ where: { createdAt: { lte: new Date(now().getTime() - eventsKeptMs) } } });
}

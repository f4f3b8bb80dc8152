import type { Transaction } from '../../database/client.ts';
import { newId } from '../../database/ids.ts';

/**
 * What is told of each type of event that the database does not tell by itself: ids, which name the rows as they are
 * when somebody reads them. Of messages, conversations, leads and sources the tables tell, by the triggers of the
 * migration `webhooks`: so no way of writing can forget it, and a workspace without a webhook for it pays nothing.
 */
type EventData = {
  /** `percent` of the `max` interactions of a month (`YYYY-MM`) are used. Told once for each of 80 and 100, and each `max`. */
  'usage.threshold': { month: string; percent: number; current: number; max: number };
};

type EventType = keyof EventData;
export type NewEvent = { [Type in EventType]: { type: Type; data: EventData[Type]; onceAs?: string } }[EventType];

/** Writes what happened beside what made it happen: both are kept, or neither. The database delivers it to webhooks. */
export async function recordEvents(tx: Transaction, workspaceId: string, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const data = events.map((event) => ({ ...event, id: newId('event'), workspaceId }));
  await tx.outboxEvent.createMany({ data, skipDuplicates: true });
}

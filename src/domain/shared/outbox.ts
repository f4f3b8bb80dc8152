import type { Transaction } from '../../database/client.ts';
import { newId } from '../../database/ids.ts';

/**
 * The events that no trigger writes, with their data: ids of rows, which are read when the event is delivered. Events
 * of messages, conversations, leads and sources are written by triggers, so that no write can omit them, and a
 * workspace without webhooks pays nothing.
 */
type EventData = {
  /**
   * `percent` of the `max` interactions of a month (`YYYY-MM`) are used. Sent once for each of 80 and 100, per `max`.
   */
  'usage.threshold': { month: string; percent: number; current: number; max: number };
};

type EventType = keyof EventData;
export type NewEvent = { [Type in EventType]: { type: Type; data: EventData[Type]; onceAs?: string } }[EventType];

/** Records events in the transaction of the change that caused them, to be delivered to webhooks. */
export async function recordEvents(tx: Transaction, workspaceId: string, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const data = events.map((event) => ({ ...event, id: newId('event'), workspaceId }));
  await tx.outboxEvent.createMany({ data, skipDuplicates: true });
}

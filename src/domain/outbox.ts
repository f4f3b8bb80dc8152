import type { Transaction } from '../database/client.ts';
import { newId } from '../database/ids.ts';

/**
 * What is told of each type of event: ids, which name the rows as they are when somebody reads them. Conversations that
 * only try an agent out (`preview`) tell nothing.
 */
export type EventData = {
  'conversation.created': { conversationId: string; agentId: string };
  /** `changed` names the fields: status, stage, leadId. */
  'conversation.updated': { conversationId: string; agentId: string; changed: string[] };
  /** Also of what callers and tools say: `role` tells them apart. */
  'message.created': { messageId: string; conversationId: string; agentId: string; role: string };
  'lead.created': { leadId: string; agentId: string | null; conversationId: string | null };
  'lead.updated': { leadId: string; agentId: string | null; conversationId: string | null };
  /** `percent` of the `max` interactions of a month (`YYYY-MM`) are used. Told once for each of 80 and 100, and each `max`. */
  'usage.threshold': { month: string; percent: number; current: number; max: number };
};

export type EventType = keyof EventData;
export type NewEvent = { [Type in EventType]: { type: Type; data: EventData[Type]; onceAs?: string } }[EventType];

/** Writes what happened beside what made it happen: both are kept, or neither. */
export async function recordEvents(tx: Transaction, workspaceId: string, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const data = events.map((event) => ({ ...event, id: newId('event'), workspaceId }));
  await tx.outboxEvent.createMany({ data, skipDuplicates: true });
}

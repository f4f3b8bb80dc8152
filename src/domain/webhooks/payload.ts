import type { OutboxEvent } from '../../database/generated/prisma/client.ts';
import type { EventReader } from '../shared/row-events.ts';
import { rowEvents } from './events.ts';

type Ids = Record<string, string | undefined>;

/**
 * The payload of an event: `{type, timestamp, workspaceId, data}`. `data` has the ids of the event and, as `message`,
 * `conversation`, `lead`, `source` or `alert`, the current row, null if it has been deleted.
 */
export async function payloadOf(services: EventReader, event: OutboxEvent): Promise<string> {
  const { type, createdAt: timestamp, workspaceId } = event;
  const eventIds = event.data as Ids;
  const subject = type.split('.')[0] ?? '';
  const id = eventIds[`${subject}Id`];
  const row = id && (await rowEvents.find((one) => one.subject === subject)?.read(services, { workspaceId, id }));
  const data = { ...eventIds, ...(row !== undefined && id && { [subject]: row }) };
  return JSON.stringify({ type, timestamp, workspaceId, data });
}

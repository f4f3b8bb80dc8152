import type { OutboxEvent } from '../../database/generated/prisma/client.ts';
import type { Told } from '../shared/row-events.ts';
import { rowEvents } from './events.ts';

type Ids = Record<string, string | undefined>;

/**
 * The payload of an event: `{type, timestamp, workspaceId, data}`. `data` has the ids of the event and, as `message`,
 * `conversation`, `lead` or `source`, the current row, null if it has been deleted.
 */
export async function payloadOf(services: Told, event: OutboxEvent): Promise<string> {
  const { type, createdAt: timestamp, workspaceId } = event;
  const told = event.data as Ids;
  const subject = type.split('.')[0] ?? '';
  const id = told[`${subject}Id`];
  const row = id && (await rowEvents.find((one) => one.subject === subject)?.read(services, { workspaceId, id }));
  const data = { ...told, ...(row !== undefined && id && { [subject]: row }) };
  return JSON.stringify({ type, timestamp, workspaceId, data });
}

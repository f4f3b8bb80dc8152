import type { OutboxEvent } from '../../database/generated/prisma/client.ts';
import type { Told } from '../shared/row-events.ts';
import { rowEvents } from './events.ts';

type Ids = Record<string, string | undefined>;

/**
 * What a webhook is sent of an event: `{type, timestamp, workspaceId, data}`, where `data` has the ids that the event
 * told, and under `message`, `conversation`, `lead` or `source` that row as it is now, null when it was removed since.
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

import type { Services } from '../../context.ts';
import type { OutboxEvent } from '../../database/generated/prisma/client.ts';
import { shownAttachments } from '../attachments/attachments.ts';

type Ids = Record<string, string | undefined>;
/** The row that an event is about, as it is now; null when it is no more. */
type Reader = (services: Telling, where: { workspaceId: string; id: string }) => Promise<object | null>;
type Telling = Pick<Services, 'database' | 'config' | 'secrets' | 'now'>;

const times = { createdAt: true, updatedAt: true } as const;
const who = { id: true, name: true, email: true, phone: true, company: true, site: true, agentId: true } as const;
const where = { id: true, agentId: true, channelId: true, leadId: true, platform: true, title: true } as const;
const words = { id: true, conversationId: true, position: true, role: true, name: true, content: true } as const;
const about = { id: true, baseId: true, type: true, status: true, reason: true, title: true, url: true } as const;

const readers: Record<string, Reader> = {
  message: async (services, row) => {
    const select = { ...words, toolCalls: true, metadata: true, attachments: true, createdAt: true };
    const message = await services.database.message.findFirst({ where: row, select });
    return message && { ...message, attachments: shownAttachments(services, message) };
  },
  conversation: ({ database }, row) =>
    database.conversation.findFirst({
      where: row,
      select: { ...where, stage: true, status: true, messageCount: true, ...times },
    }),
  lead: ({ database }, row) =>
    database.lead.findFirst({ where: row, select: { ...who, custom: true, utm: true, capture: true, ...times } }),
  source: ({ database }, row) => database.source.findFirst({ where: row, select: { ...about, ...times } }),
};

/**
 * What a webhook is sent of an event: `{type, timestamp, workspaceId, data}`, where `data` has the ids that the event
 * told, and under `message`, `conversation`, `lead` or `source` that row as it is now, null when it was removed since.
 */
export async function payloadOf(services: Telling, event: OutboxEvent): Promise<string> {
  const { type, createdAt: timestamp, workspaceId } = event;
  const told = event.data as Ids;
  const subject = type.split('.')[0] ?? '';
  const id = told[`${subject}Id`];
  const row = id && (await readers[subject]?.(services, { workspaceId, id }));
  const data = { ...told, ...(row !== undefined && id && { [subject]: row }) };
  return JSON.stringify({ type, timestamp, workspaceId, data });
}

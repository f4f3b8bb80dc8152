import type { Context } from '../context.ts';
import type { Conversation, Lead } from '../database/generated/prisma/client.ts';
import { captureContact } from '../model/capture.ts';
import { captureLead } from './leads.ts';
import type { NewEvent } from './outbox.ts';
import type { Turn as Asked } from './turn-input.ts';

/** What a visitor told of themselves in a turn. */
export type Captured = { values: ReturnType<typeof captureContact>; utm?: Record<string, unknown> };

/** A lead that could not be kept. The turn is ended without it. */
export class LeadFailure extends Error {
  override name = 'LeadFailure';
}

/** What the visitor said in a request; null when it holds nothing to keep. */
export function capturedOf({ message, messages, utm }: Asked): Captured | null {
  const said = [...(messages ?? []), ...(message ? [message] : [])].filter(({ role }) => role === 'user');
  return capture(
    said.map(({ content }) => content),
    utm ?? null,
  );
}

/** The same, from texts that are stored. */
export function capture(texts: (string | null | undefined)[], utm: object | null): Captured | null {
  const values = captureContact(texts.map((text) => text ?? '').join('\n'));
  if (Object.keys(values).length === 0) return null;
  return { values, ...(utm && { utm: utm as Record<string, unknown> }) };
}

/** What a lead changes of its conversation, and what is to be told of it. */
export type Kept = { changes: Partial<Pick<Conversation, 'leadId' | 'stage'>>; events: NewEvent[] };

/** Keeps what a conversation told of its visitor, in the transaction that is running. Throws `LeadFailure`. */
export async function keepLead(context: Context, conversation: Conversation, captured: Captured | null): Promise<Kept> {
  if (!captured || conversation.preview) return { changes: {}, events: [] };
  const { id: conversationId, agentId, leadId, stage } = conversation;
  const lead = await captureLead(context, { leadId, agentId, ...captured }).catch((cause: unknown) => {
    throw new LeadFailure('The lead could not be kept.', { cause });
  });
  const type = isNew(lead) ? 'lead.created' : 'lead.updated';
  return {
    changes: {
      ...(lead.id !== leadId && { leadId: lead.id }),
      ...(lead.capture === 'completed' && stage === 'identify' && { stage: 'qualify' }),
    },
    events: [{ type, data: { leadId: lead.id, agentId: lead.agentId, conversationId } }],
  };
}

/** Both times are written at once when a lead is made, and only one when it is changed. */
const isNew = ({ createdAt, updatedAt }: Lead): boolean => createdAt.getTime() === updatedAt.getTime();

import type { Context } from '../../context.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { lockConversation } from '../conversations/access.ts';
import { recordCapture } from '../conversations/message-trace.ts';
import { isCompletable } from '../conversations/outcomes.ts';
import type { LeadExtraction } from '../leads/capture.ts';
import { type Captured, saveCaptured } from '../leads/captured-lead.ts';
import { captureContacts } from '../leads/captured-values.ts';
import type { ReplyMessage } from './attempt.ts';

/** The lead could not be saved. The turn is ended without it. */
export class LeadFailure extends Error {
  override name = 'LeadFailure';
}

/** Returns the contact details that a visitor's messages (oldest first) state plainly; null if there are none. */
export function capture(texts: (string | null)[], utm: object | null): Captured | null {
  const values = captureContacts(texts.map((text) => text ?? ''));
  return values.length > 0 ? { values, utm: utm as Captured['utm'] } : null;
}

/** Saves the lead that a turn captured. Returns the fields of the conversation that change. Throws `LeadFailure`. */
export async function saveLead(
  context: Context,
  tx: Transaction,
  conversation: Conversation,
  turn: Turn,
  captured: Captured | null,
): Promise<Partial<Pick<Conversation, 'leadId' | 'stage'>>> {
  if (!captured || conversation.preview) return {};
  const { leadId } = conversation;
  const lead = await saveCaptured(context, tx, conversation, turn, captured).catch((cause: unknown) => {
    throw new LeadFailure('The lead could not be stored.', { cause });
  });
  if (!lead) return {};
  return {
    ...(lead.id !== leadId && { leadId: lead.id }),
    ...(lead.capture === 'completed' && isCompletable(conversation) && { stage: 'completed' as const }),
  };
}

/** Adds the trace of the lead extraction, as far as it is known, to the traces of the messages. */
export const withCapture = (
  messages: ReplyMessage[],
  { trace: capture }: ReturnType<LeadExtraction['soFar']>,
): ReplyMessage[] =>
  capture
    ? messages.map((message) => (message.trace ? { ...message, trace: { ...message.trace, capture } } : message))
    : messages;

/** Saves what the extraction finds after the turn has ended: no reply waits for it. Failures are logged. */
export async function saveLateLead(context: Context, turn: Turn, extraction: LeadExtraction): Promise<void> {
  const { id, workspaceId, conversationId } = turn;
  const late = await extraction.later();
  if (!late) return;
  try {
    if (!late.captured) return await recordCapture(context.database, workspaceId, id, late.trace);
    await transact(context.database, async (tx) => {
      const conversation = await lockConversation(tx, workspaceId, conversationId);
      if (!conversation) return;
      // A deadlock is tried again, by its own error.
      const changes = await saveLead(context, tx, conversation, turn, late.captured).catch((error: unknown) => {
        throw error instanceof LeadFailure ? error.cause : error;
      });
      if (Object.keys(changes).length > 0) {
        const where = { workspaceId_id: { workspaceId, id: conversationId } };
        await tx.conversation.update({ where, data: changes, select: { id: true } });
      }
      await recordCapture(tx, workspaceId, id, late.trace);
    });
  } catch (error) {
    context.log.error({ err: error, turnId: id }, 'the lead of a turn could not be stored');
  }
}

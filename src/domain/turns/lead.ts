import type { Context } from '../../context.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { noteCapture } from '../conversations/message-trace.ts';
import type { LeadExtraction } from '../leads/capture.ts';
import { type Captured, keepCaptured } from '../leads/captured-lead.ts';
import { captureSaid } from '../leads/captured-values.ts';
import type { ReplyMessage } from './attempt.ts';
import { lockConversation } from './store.ts';

/** The lead could not be saved. The turn is ended without it. */
export class LeadFailure extends Error {
  override name = 'LeadFailure';
}

/** Returns the contact details that a visitor's messages (oldest first) state plainly; null if there are none. */
export function capture(texts: (string | null)[], utm: object | null): Captured | null {
  const values = captureSaid(
    texts.map((text) => text ?? ''),
    null,
  );
  return values.length > 0 ? { values, utm: utm as Captured['utm'] } : null;
}

/** Saves the lead that a turn captured. Returns the fields of the conversation that change. Throws `LeadFailure`. */
export async function keepLead(
  context: Context,
  tx: Transaction,
  conversation: Conversation,
  turn: Turn,
  captured: Captured | null,
): Promise<Partial<Pick<Conversation, 'leadId' | 'stage'>>> {
  if (!captured || conversation.preview) return {};
  const { leadId, stage } = conversation;
  const lead = await keepCaptured(context, tx, conversation, turn, captured).catch((cause: unknown) => {
    throw new LeadFailure('The lead could not be stored.', { cause });
  });
  if (!lead) return {};
  return {
    ...(lead.id !== leadId && { leadId: lead.id }),
    ...(lead.capture === 'completed' && stage === 'identify' && { stage: 'qualify' as const }),
  };
}

/** Adds the trace of the lead extraction, as far as it is known, to the traces of the messages. */
export const withCapture = (
  spoken: ReplyMessage[],
  { trace: capture }: ReturnType<LeadExtraction['soFar']>,
): ReplyMessage[] =>
  capture ? spoken.map((said) => (said.trace ? { ...said, trace: { ...said.trace, capture } } : said)) : spoken;

/** Saves what the extraction finds after the turn has ended: no reply waits for it. Failures are logged. */
export async function keepLater(context: Context, turn: Turn, hearing: LeadExtraction): Promise<void> {
  const { id, workspaceId, conversationId } = turn;
  const found = await hearing.later();
  if (!found) return;
  try {
    await transact(context.database, async (tx) => {
      const conversation = await lockConversation(tx, workspaceId, conversationId);
      if (!conversation) return;
      const changes = await keepLead(context, tx, conversation, turn, found.captured);
      if (Object.keys(changes).length > 0) {
        await tx.conversation.update({ where: { id: conversationId }, data: changes, select: { id: true } });
      }
      await noteCapture(tx, workspaceId, id, found.trace);
    });
  } catch (error) {
    context.log.error({ err: error, turnId: id }, 'the lead of a turn could not be stored');
  }
}

import type { Transaction } from '../../database/client.ts';
import type { Conversation, Message } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { isGreeting, isThanks } from '../../model/embedded/small-talk.ts';
import { fold } from '../../text/fold.ts';
import { asksAgent, isQuestion } from './gap-reason.ts';

/** How far back the unanswered question may be, in messages. */
const maxMessages = 30;
/** How many proposals a gap keeps; the oldest are removed. */
const maxProposals = 10;

/** Asking for a person is how a visitor reacts to an unanswered question, not another question. */
const personWords =
  '(person|people|human|someone|somebody|anyone|agent|representative|pessoa|humano|atendente|alguem|persona|agente|alguien)';
const wantsPerson = [
  new RegExp(`\\b(speak|talk|chat|connect|falar|conversar|hablar)\\b.*\\b${personWords}\\b`),
  new RegExp(`^\\W*(a |an |um |uma |un |una )?${personWords}\\b\\W*(please|por favor)?\\W*$`),
  /\b(any(body|one) (there|here)|alguem ai|hay alguien)\b/,
];
const maxWordsOfRequest = 12;

const asksForPerson = (text: string): boolean =>
  text.split(/\s+/).length <= maxWordsOfRequest && wantsPerson.some((pattern) => pattern.test(fold(text)));

type Written = Pick<Message, 'id' | 'content' | 'position' | 'createdBy'> & Partial<Pick<Message, 'createdAt'>>;
type AskedIn = Pick<Conversation, 'workspaceId' | 'id' | 'preview'>;

/**
 * Records, in the transaction that stores a person's message, that it may answer the question that the agent last left
 * unanswered in the conversation. Greetings, thanks and questions to the visitor are no answers.
 */
export async function noteProposal(
  tx: Transaction,
  conversation: AskedIn,
  agentName: string,
  written: Written,
): Promise<void> {
  const text = written.content?.trim();
  if (conversation.preview || !text || isGreeting(text, agentName) || isThanks(text) || text.endsWith('?')) return;
  const question = await findQuestion(tx, conversation, agentName, written.position);
  if (!question) return;
  const { workspaceId } = conversation;
  const { id: questionId, gapId } = question;
  await tx.gapProposal.create({
    data: {
      id: newId('proposal'),
      workspaceId,
      gapId,
      questionId,
      messageId: written.id,
      createdBy: written.createdBy,
      ...(written.createdAt && { createdAt: written.createdAt }),
    },
  });
  const old = await tx.gapProposal.findMany({
    where: { workspaceId, gapId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: maxProposals,
    select: { id: true },
  });
  if (old.length > 0) await tx.gapProposal.deleteMany({ where: { workspaceId, id: { in: old.map(({ id }) => id) } } });
  await tx.gap.updateMany({ where: { workspaceId, id: gapId }, data: { updatedAt: new Date() } });
}

/**
 * Returns the last question of the visitor before a position if the agent left it unanswered. The visitor must have
 * asked nothing else since, nor thanked a person for an answer.
 */
async function findQuestion(
  tx: Transaction,
  { workspaceId, id: conversationId }: AskedIn,
  agentName: string,
  position: number,
): Promise<{ id: string; gapId: string } | null> {
  const before = await tx.message.findMany({
    where: { workspaceId, conversationId, position: { lt: position }, role: { in: ['user', 'assistant'] } },
    orderBy: { position: 'desc' },
    take: maxMessages,
    select: { role: true, content: true, createdBy: true, gapQuestion: { select: { id: true, gapId: true } } },
  });
  let thanked = false;
  let agentReplied = false;
  for (const { role, content, createdBy, gapQuestion } of before) {
    const text = content?.trim() ?? '';
    if (role === 'assistant') {
      if (createdBy !== null && thanked) return null;
      agentReplied = createdBy === null && text !== '';
      continue;
    }
    if (isThanks(text)) thanked = true;
    else if (!asksForPerson(text)) {
      if (gapQuestion) return gapQuestion;
      // What the agent replied to without leaving a gap is answered; to a person, the visitor may be giving details.
      if (agentReplied ? asksAgent(text, agentName) : isQuestion(text)) return null;
    }
    agentReplied = false;
  }
  return null;
}

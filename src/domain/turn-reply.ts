import type { Context } from '../context.ts';
import { transact } from '../database/client.ts';
import type { Agent, Conversation, Message } from '../database/generated/prisma/client.ts';
import { captureContact } from '../model/capture.ts';
import type { Reply, ReplyRequest } from '../model/service.ts';
import type { Claim } from './idempotency.ts';
import { retrievePassages } from './knowledge-bases.ts';
import { captureLead } from './leads.ts';
import type { TurnResult } from './turn.ts';
import type { Turn } from './turn-input.ts';
import { appendMessages } from './turn-store.ts';
import { releaseInteraction, reserveInteraction } from './usage.ts';

/** How many passages the model is given, and how many messages of the past. */
const passageCount = 6;
const historyCount = 40;

type Opened = { conversation: Conversation; awaitsReply: boolean; metered: boolean };

/** Answers what a conversation has heard: keeps the lead, meters, retrieves, asks the model, stores its reply. */
export async function reply(
  context: Context,
  agent: Agent,
  turn: Turn,
  { conversation, awaitsReply, metered }: Opened,
  claim: Claim | null,
): Promise<TurnResult> {
  const history = await recentMessages(context, conversation);
  const lead = await keepLead(context, agent, conversation, turn, history);
  const stage = lead?.capture === 'completed' && conversation.stage === 'identify' ? { stage: 'qualify' as const } : {};
  const changes = { ...stage, ...(lead && { leadId: lead.id }) };
  const answer = { context, conversation, claim, changes };
  if (!awaitsReply) return store(answer, null);
  if (agent.status === 'paused') return store(answer, { content: agent.off ?? '', metadata: { paused: true } });
  const month = metered ? await transact(context.database, (tx) => reserveInteraction(context, tx)) : null;
  try {
    const request = await requestOf(context, agent, turn, conversation, history);
    return await store(answer, spoken(agent, context, request, await context.model.reply(request)));
  } catch (error) {
    // The failure of the model is what the caller must hear of, whatever else fails now.
    if (month)
      await releaseInteraction(context, month).catch((failure) =>
        context.log.error({ err: failure }, 'an interaction could not be given back'),
      );
    throw error;
  }
}

function recentMessages({ database }: Context, { workspaceId, id }: Conversation): Promise<Message[]> {
  const where = { workspaceId, conversationId: id };
  return database.message
    .findMany({ where, orderBy: { position: 'desc' }, take: historyCount })
    .then((messages) => messages.reverse());
}

/** Keeps the name, email and phone that the visitor has said in this turn. Capture never breaks the reply. */
async function keepLead(context: Context, agent: Agent, conversation: Conversation, turn: Turn, history: Message[]) {
  const said = [...(turn.messages ?? []), ...(turn.message ? [turn.message] : [])].filter(
    ({ role }) => role === 'user',
  );
  const values = captureContact(said.map(({ content }) => content ?? '').join('\n'));
  if (Object.keys(values).length === 0 || history.length === 0 || conversation.preview) return null;
  const leadId = turn.leadId ?? conversation.leadId;
  try {
    return await captureLead(context, { leadId, agentId: agent.id, values, utm: turn.utm ?? undefined });
  } catch (error) {
    context.log.error({ err: error, conversationId: conversation.id }, 'the lead could not be kept');
    return null;
  }
}

async function requestOf(
  context: Context,
  agent: Agent,
  turn: Turn,
  conversation: Conversation,
  history: Message[],
): Promise<ReplyRequest> {
  const questions = history
    .filter(({ role, content }) => role === 'user' && content)
    .map(({ content }) => content ?? '');
  const question = questions.at(-1) ?? '';
  const found = await retrievePassages(context, agent.id, question, passageCount);
  // A short follow-up ("and on Sundays?") says too little alone.
  const passages =
    found.length > 0 || questions.length < 2
      ? found
      : await retrievePassages(context, agent.id, questions.slice(-2).join('\n'), passageCount);
  return {
    agent,
    stage: conversation.stage,
    format: turn.format ?? 'markdown',
    history: history as unknown as ReplyRequest['history'],
    passages,
    tools: turn.tools ?? [],
  };
}

type Spoken = Pick<Message, 'content'> & Partial<Parameters<typeof appendMessages>[2][number]>;

function spoken(agent: Agent, { model }: Context, { passages }: ReplyRequest, reply: Reply): Spoken {
  const places = new Map(passages.map((passage) => [passage.id, passage]));
  const references = reply.references.map((reference) => {
    const { title, url, place } = places.get(reference.passageId) ?? {};
    return { ...reference, title: title ?? null, url: url ?? null, place: place ?? {} };
  });
  return {
    content: reply.toolCalls?.length ? null : reply.content,
    toolCalls: reply.toolCalls?.length ? reply.toolCalls : null,
    metadata: { model: model.name, ...(agent.references && { references }) },
    ...reply.usage,
  };
}

type Answer = { context: Context; conversation: Conversation; claim: Claim | null; changes: object };

/** Stores the reply, if there is one, and with it that the request is answered: both or neither. */
async function store({ context, conversation, claim, changes }: Answer, message: Spoken | null): Promise<TurnResult> {
  const messageIds = await transact(context.database, async (tx) => {
    const ids = await appendMessages(tx, conversation, message ? [{ ...message, role: 'assistant' }] : [], changes);
    if (claim) {
      const where = { workspaceId_key: { workspaceId: conversation.workspaceId, key: claim.key } };
      await tx.idempotency.update({
        where,
        data: { answered: true, messageIds: ids, conversationId: conversation.id },
      });
    }
    return ids;
  });
  return { conversationId: conversation.id, messageIds };
}

import type { Context } from '../context.ts';
import { transact } from '../database/client.ts';
import type { Agent, Conversation, Message } from '../database/generated/prisma/client.ts';
import { captureContact } from '../model/capture.ts';
import type { Reply, ReplyRequest } from '../model/service.ts';
import type { Claim } from './idempotency.ts';
import { retrievePassages } from './knowledge-bases.ts';
import { captureLead } from './leads.ts';
import type { Opened, TurnResult } from './turn.ts';
import type { Delivery } from './turn-delivery.ts';
import type { Turn } from './turn-input.ts';
import { watchStop } from './turn-stop.ts';
import { appendMessages } from './turn-store.ts';
import { releaseInteraction, reserveInteraction } from './usage.ts';

/** How many passages the model is given, and how many messages of the past. */
const passageCount = 6;
const historyCount = 40;

/** Answers what a conversation has heard: keeps the lead, meters, retrieves, asks the model, stores its reply. */
export async function reply(
  context: Context,
  agent: Agent,
  turn: Turn,
  { conversation, awaitsReply, metered, lease }: Opened,
  claim: Claim | null,
  delivery: Delivery | null,
): Promise<TurnResult> {
  const history = await recentMessages(context, conversation);
  const lead = await keepLead(context, agent, conversation, turn, history);
  const stage = lead?.capture === 'completed' && conversation.stage === 'identify' ? { stage: 'qualify' as const } : {};
  const changes = { ...stage, ...(lead && { leadId: lead.id }) };
  const answer = { context, conversation, claim, changes, delivery };
  if (!awaitsReply) return store(answer, null);
  if (agent.status === 'paused') return store(answer, { content: agent.off ?? '', metadata: { paused: true } });
  const month = metered ? await reserve(context, delivery) : null;
  const stop = watchStop(context, conversation.id, lease);
  try {
    const request = { ...(await requestOf(context, agent, turn, conversation, history)), signal: stop.signal };
    const said = await (delivery ? context.model.stream(request, delivery.say) : context.model.reply(request));
    const result = await store(answer, spoken(agent, request, said));
    // A reply that was stopped before its first word is none, and costs nothing.
    if (month && said.finish === 'stopped' && !said.content) await giveBack(context, month);
    return result;
  } catch (error) {
    if (month && (await isOurs(context, delivery))) await giveBack(context, month);
    throw error;
  } finally {
    stop.close();
  }
}

const reserve = (context: Context, delivery: Delivery | null): Promise<string> =>
  transact(context.database, async (tx) => {
    const month = await reserveInteraction(context, tx);
    await delivery?.reserved(tx, month);
    return month;
  });

const isOurs = async ({ log }: Context, delivery: Delivery | null): Promise<boolean> =>
  !delivery ||
  delivery.forfeit().catch((failure: unknown) => {
    log.error({ err: failure }, 'an interaction could not be given back yet');
    return false;
  });

/** The failure of the model is what the caller must hear of, whatever else fails now. */
const giveBack = (context: Context, month: string): Promise<void> =>
  releaseInteraction(context, month).catch((failure) =>
    context.log.error({ err: failure }, 'an interaction could not be given back'),
  );

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

function spoken(agent: Agent, { passages }: ReplyRequest, reply: Reply): Spoken {
  const places = new Map(passages.map((passage) => [passage.id, passage]));
  const references = reply.references.map((reference) => {
    const { title, url, place } = places.get(reference.passageId) ?? {};
    return { ...reference, title: title ?? null, url: url ?? null, place: place ?? {} };
  });
  return {
    content: reply.toolCalls?.length ? null : reply.content,
    toolCalls: reply.toolCalls?.length ? reply.toolCalls : null,
    metadata: {
      model: reply.model,
      ...(agent.references && { references }),
      ...(reply.finish === 'stopped' && { stopped: true }),
    },
    ...reply.usage,
  };
}

type Answer = {
  context: Context;
  conversation: Conversation;
  claim: Claim | null;
  changes: object;
  delivery: Delivery | null;
};

/** Stores the reply, if there is one, and with it that the request is answered: both or neither. */
async function store(answer: Answer, message: Spoken | null): Promise<TurnResult> {
  const { context, conversation, claim, changes, delivery } = answer;
  const reply = message && { ...message, ...(delivery && { id: delivery.messageId }), role: 'assistant' as const };
  await delivery?.drain();
  const result = await transact(context.database, async (tx) => {
    const messageIds = await appendMessages(tx, conversation, reply ? [reply] : [], changes);
    if (claim) {
      const where = { workspaceId_key: { workspaceId: conversation.workspaceId, key: claim.key } };
      await tx.idempotency.update({ where, data: { answered: true, messageIds, conversationId: conversation.id } });
    }
    const stored = { conversationId: conversation.id, messageIds };
    await delivery?.settle(tx, stored, reply);
    return stored;
  });
  delivery?.publish();
  return result;
}

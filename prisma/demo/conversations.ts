import type { Prisma } from '../../src/database/generated/prisma/client.ts';
import { newId } from '../../src/database/ids.ts';
import { fold } from '../../src/text/fold.ts';
import { campaignAt } from './campaigns.ts';
import type { Cast, Dialogue } from './cast.ts';
import type { Reference } from './citations.ts';
import { dialogues } from './dialogues.ts';
import { randomFrom } from './random.ts';
import { costOf, modelOf, traceOf } from './traces.ts';
import { visitors } from './visitors.ts';

const days = 180;
const conversationCount = 420;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

type DemoContext = {
  workspaceId: string;
  cast: Cast;
  now: Date;
  /** The user who replies in place of an agent. */
  colleagueId: string;
  cite: (agentId: string, quote: string) => Reference;
};
/** The fields of a turn that `noteGap` reads. */
type GapTurn = { workspaceId: string; agentId: string; conversationId: string; inputTo: number };
type PersonReply = { conversationId: string; id: string; content: string; position: number; createdAt: Date };
export type History = {
  leads: Prisma.LeadCreateManyInput[];
  conversations: Prisma.ConversationCreateManyInput[];
  messages: Prisma.MessageCreateManyInput[];
  traces: { workspaceId: string; messageId: string; data: object; createdAt: Date }[];
  gaps: GapTurn[];
  /** The replies of people, which `noteProposal` reads. */
  replies: PersonReply[];
  usage: { month: string; current: number }[];
  interactions: Prisma.InteractionCreateManyInput[];
  /** Those between the first and the present one, which a trigger writes. */
  stages: Prisma.ReachedStageCreateManyInput[];
};

const isUnanswered = ({ turns }: Dialogue) => turns.some(([, said]) => typeof said === 'object' && 'gap' in said);
const common = dialogues.flatMap((dialogue) =>
  Array<Dialogue>(dialogue.weight ?? (isUnanswered(dialogue) ? 1 : 3)).fill(dialogue),
);

/**
 * Generates the rows of the last half year. Deterministic for a given day, except for ids and for conversations that
 * would lie in the future.
 */
export function conversationsOf({ workspaceId, cast, now, colleagueId, cite }: DemoContext): History {
  const { random, below, pick } = randomFrom(20_26);
  const history: History = {
    leads: [],
    conversations: [],
    messages: [],
    traces: [],
    gaps: [],
    replies: [],
    usage: [],
    interactions: [],
    stages: [],
  };
  const used = new Map<string, number>();
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());

  for (let index = 0; index < conversationCount; index++) {
    const dialogue = pick(common);
    const agent = cast[dialogue.agent];
    const channel = pick(agent.channels);
    // More recent ones are more frequent; all are between 8:00 and 22:00.
    const planned = today - Math.floor(random() ** 1.4 * days) * dayMs + (8 * 60 + below(14 * 60)) * minuteMs;
    const durationMs = (dialogue.turns.length * 2 + (dialogue.person ? 10 : 0)) * minuteMs;
    const start = planned + durationMs > now.getTime() ? planned - dayMs : planned;
    const visitor = pick(visitors);
    const email = `${fold(visitor).replaceAll(/[^a-z]+/g, '.')}${index}@example.com`;
    const isPartial = random() < 0.25;
    const utm = campaignAt(start, now, random());
    const chance = random();
    const rated = random();
    const id = newId('conversation', start);
    const leadId = dialogue.lead ? newId('lead', start) : null;
    if (leadId) {
      history.leads.push({
        id: leadId,
        workspaceId,
        agentId: agent.id,
        name: visitor,
        email: isPartial ? null : email,
        phone: isPartial ? `+55119${String(40_000_000 + index)}` : null,
        custom: chance > 0.5 ? { Group: chance > 0.75 ? 'Friends' : 'Family' } : {},
        utm: utm ?? {},
        capture: chance < 0.15 ? 'partial' : 'completed',
        searchText: fold(visitor, isPartial ? '' : email),
        createdAt: new Date(start),
        updatedAt: new Date(start),
      });
    }
    const fill = (text: string) =>
      text.replaceAll('{name}', visitor).replaceAll('{email}', isPartial ? `+55 11 9${40_000_000 + index}` : email);
    let lastAt = start;
    for (const [turn, [asked, said]] of dialogue.turns.entries()) {
      const at = start + turn * 2 * minuteMs;
      const base = { workspaceId, conversationId: id, agentId: agent.id, channelId: channel.id };
      const question = { ...base, id: newId('message', at), position: turn * 2, role: 'user' as const };
      history.messages.push({ ...question, content: fill(asked), createdAt: new Date(at), updatedAt: new Date(at) });
      const text = fill(typeof said === 'string' ? said : said.text);
      const references = typeof said === 'object' && 'quote' in said ? [cite(agent.id, said.quote)] : [];
      const tokens = { promptTokens: 600 + below(900), completionTokens: Math.ceil(text.length / 4) + 1 };
      const model = modelOf(dialogue.agent, random());
      const totalMs = 700 + below(1_800) + tokens.completionTokens * 12;
      lastAt = at + totalMs;
      const answeredAt = new Date(lastAt);
      const messageId = newId('message', at + totalMs);
      const isRated = turn === dialogue.turns.length - 1 && rated < 0.4;
      const isGap = typeof said === 'object' && 'gap' in said;
      const rating = isGap || rated < 0.05 ? ('dislike' as const) : ('like' as const);
      const cost = costOf(model, tokens);
      const trace = traceOf({ model, cost, totalMs, references, query: fill(asked) });
      history.messages.push({
        ...base,
        ...tokens,
        model,
        cost,
        replyTime: totalMs,
        timeToFirstToken: trace.firstTokenMs + trace.retrievalMs,
        id: messageId,
        position: turn * 2 + 1,
        role: 'assistant',
        content: text,
        metadata: { model, finishReason: 'stop', references },
        ...(isRated && { rating, feedback: { rating, comment: null } }),
        createdAt: answeredAt,
        updatedAt: answeredAt,
      });
      history.traces.push({ workspaceId, messageId, data: trace, createdAt: answeredAt });
      if (isGap) history.gaps.push({ workspaceId, agentId: agent.id, conversationId: id, inputTo: turn * 2 });
      const month = answeredAt.toISOString().slice(0, 7);
      used.set(month, (used.get(month) ?? 0) + 1);
      const { conversationId: _, ...of } = base;
      history.interactions.push({ ...of, ...tokens, id: messageId, month, model, cost, createdAt: answeredAt });
    }
    const position = dialogue.turns.length * 2;
    if (dialogue.person) {
      lastAt += 6 * minuteMs;
      const reply = { id: newId('message', lastAt), content: dialogue.person, position, createdAt: new Date(lastAt) };
      history.replies.push({ ...reply, conversationId: id });
      history.messages.push({
        ...reply,
        workspaceId,
        conversationId: id,
        agentId: agent.id,
        channelId: channel.id,
        role: 'assistant',
        metadata: { person: true },
        createdBy: colleagueId,
        updatedAt: reply.createdAt,
      });
    }
    const isRecent = now.getTime() - start < 2 * dayMs;
    const stage = dialogue.waits ? 'handoff' : leadId || !isRecent ? 'completed' : 'assist';
    // The visitor is known by the first reply, and helped by the second.
    for (const [turn, reached] of (['qualify', 'assist'] as const).entries()) {
      const at = start + turn * 2 * minuteMs + minuteMs;
      if (turn >= dialogue.turns.length || reached === stage) continue;
      const times = { beganAt: new Date(start), reachedAt: new Date(at), elapsed: (at - start) / 1_000 };
      history.stages.push({ id: newId('stage', at), workspaceId, conversationId: id, stage: reached, ...times });
    }
    history.conversations.push({
      id,
      workspaceId,
      agentId: agent.id,
      channelId: channel.id,
      platform: channel.platform,
      platformUserIdentifier: identifierOf(channel.platform, visitor, index),
      title: dialogue.turns[0]?.[0].slice(0, 80) ?? '',
      context: utm ? { utm } : {},
      leadId,
      stage,
      status: isRecent ? (dialogue.waits ? 'waiting_human' : 'active') : 'resolved',
      ...(!isRecent && { outcome: outcomeOf(dialogue), ...satisfactionOf(dialogue, index, lastAt) }),
      messageCount: position + (dialogue.person ? 1 : 0),
      duration: Math.round((lastAt - start) / 1_000),
      handedOver: dialogue.waits === true || dialogue.person !== undefined,
      createdAt: new Date(start),
      updatedAt: new Date(start + durationMs),
    });
  }
  history.usage = [...used]
    .map(([month, current]) => ({ month, current }))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
  return history;
}

/** A third of the visitors say how satisfied they were: least where nothing was known, most where a person helped. */
function satisfactionOf(dialogue: Dialogue, index: number, lastAt: number) {
  if (index % 3 !== 0) return {};
  const satisfaction = dialogue.person ? 5 : isUnanswered(dialogue) ? 2 : index % 2 === 0 ? 5 : 4;
  return { satisfaction, satisfactionAt: new Date(lastAt + minuteMs) };
}

const outcomeOf = ({ person, waits }: Dialogue) =>
  person ? 'resolved_by_person' : waits ? 'handed_over' : 'resolved_by_agent';

/** What a visitor is known by on a platform. On WhatsApp each wrote once; elsewhere they come back. */
function identifierOf(platform: string, visitor: string, index: number): string {
  const name = fold(visitor).replaceAll(/[^a-z]+/g, '.');
  if (platform === 'whatsapp') return `+55119${String(10_000_000 + index)}`;
  return platform === 'email' ? `${name}@example.com` : `${platform}-${name}`;
}

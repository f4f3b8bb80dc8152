import type { Services } from '../../src/context.ts';
import { newId } from '../../src/database/ids.ts';
import { fold } from '../../src/text/fold.ts';
import { dialogues, visitors } from './dialogues.ts';

type AgentKey = (typeof dialogues)[number]['agent'];
/** The agents by their part in the dialogues, each with the channels that its visitors come through. */
export type Cast = Record<
  AgentKey,
  { id: string; channels: { id: string; platform: 'api' | 'widget' | 'whatsapp' | 'email' }[] }
>;

const days = 60;
const conversationCount = 200;
const minute = 60_000;

/**
 * Two months of conversations, written as rows: the past cannot be had from the operations, which write the present.
 * The same each time, but for the ids.
 */
export async function writeHistory(
  { database, now }: Pick<Services, 'database' | 'now'>,
  workspaceId: string,
  cast: Cast,
) {
  const random = mulberry32(20_26);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const end = now().getTime();
  const leads: LeadRow[] = [];
  const conversations: object[] = [];
  const messages: object[] = [];

  for (let i = 0; i < conversationCount; i++) {
    const dialogue = pick(dialogues);
    const agent = cast[dialogue.agent];
    const channel = pick(agent.channels);
    // More of them lately, and none in the future.
    const start = end - Math.floor(random() ** 1.5 * days * 24 * 60) * minute - 30 * minute;
    const visitor = pick(visitors);
    const email = `${fold(visitor).replaceAll(/[^a-z]+/g, '.')}${i}@example.com`;
    const id = newId('conversation', start);
    const lead = dialogue.lead ? leadRow(workspaceId, agent.id, visitor, email, start, random()) : null;
    if (lead) leads.push(lead);
    const rows = dialogue.lines.map((line, position) => ({
      id: newId('message', start + position * minute),
      workspaceId,
      conversationId: id,
      position,
      role: position % 2 === 0 ? 'user' : 'assistant',
      content: line.replaceAll('{name}', visitor).replaceAll('{email}', lead?.email ?? email),
      metadata: position % 2 === 0 ? {} : { model: 'embedded', references: [] },
      ...(position % 2 === 1 && { promptTokens: 220 + Math.floor(random() * 400), completionTokens: line.length >> 2 }),
      ...(position % 2 === 1 &&
        random() < 0.15 && { feedback: { rating: random() < 0.8 ? 'like' : 'dislike', comment: null } }),
      createdAt: new Date(start + position * minute),
      updatedAt: new Date(start + position * minute),
    }));
    const last = new Date(start + (rows.length - 1) * minute);
    const waits = dialogue.lines[0]?.includes('person') ?? false;
    conversations.push({
      id,
      workspaceId,
      agentId: agent.id,
      channelId: channel.id,
      platform: channel.platform,
      platformUserIdentifier: channel.platform === 'whatsapp' ? `+55119${String(10_000_000 + i)}` : '',
      title: dialogue.lines[0]?.slice(0, 80) ?? '',
      context: random() < 0.3 ? { utm: { source: pick(['newsletter', 'instagram', 'search']) } } : {},
      leadId: lead?.id ?? null,
      stage: lead ? 'qualify' : 'assist',
      status: end - start < 2 * 24 * 60 * minute ? (waits ? 'waiting_human' : 'active') : 'resolved',
      messageCount: rows.length,
      createdAt: new Date(start),
      updatedAt: last,
    });
    messages.push(...rows);
  }
  await database.lead.createMany({ data: leads });
  await database.conversation.createMany({ data: conversations as never });
  await database.message.createMany({ data: messages as never });
}

type LeadRow = ReturnType<typeof leadRow>;

function leadRow(workspaceId: string, agentId: string, name: string, email: string, time: number, chance: number) {
  const partial = chance < 0.3;
  return {
    id: newId('lead', time),
    workspaceId,
    agentId,
    name,
    email: partial ? null : email,
    custom: chance > 0.5 ? { Group: chance > 0.75 ? 'Friends' : 'Family' } : {},
    utm: chance > 0.6 ? { source: 'newsletter', campaign: 'spring' } : {},
    capture: partial ? ('partial' as const) : ('completed' as const),
    searchText: fold(name, partial ? '' : email),
    createdAt: new Date(time),
    updatedAt: new Date(time),
  };
}

/** A small random generator with a seed, so that every demo is the same. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

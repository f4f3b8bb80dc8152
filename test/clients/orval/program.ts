import type { At, Seen } from '../at.js';
import { createBase, createLead, listAgents, sendMessage } from './client.js';

/** The whole answer of a call that succeeds; it tells the two apart by the status. */
function whole<T extends { status: number; data: unknown }>(answer: T): Extract<T, { status: 200 }>['data'] {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.data));
  return answer.data;
}

export async function run({ bearer, agentId }: At): Promise<Seen> {
  const options = { headers: { authorization: `Bearer ${bearer}` } };
  const agents = whole(await listAgents({ size: 5 }, options));
  const lead = whole(await createLead({ name: 'Ana', email: 'ana@example.com' }, options));
  const data = { question: 'When are you open?', answer: 'At nine.' };
  const base = whole(await createBase({ description: 'Hours', sources: [{ type: 'faq', file: { data } }] }, options));
  const turn = whole(await sendMessage(agentId, { message: { content: 'Hello' } }, options));
  // It may be the text of a stream too, which only `Accept` asks for.
  const reply = typeof turn === 'string' ? undefined : turn.messages[0];
  // @ts-expect-error a robot is none of the roles
  const refused = await sendMessage(agentId, { message: { role: 'robot', content: 'x' } }, options);
  if (refused.status === 200) throw new Error('It was not refused.');
  return {
    agents: agents.data.map(({ id }) => id),
    lead: [lead.name, lead.email],
    base: base.description,
    reply: [reply?.role ?? '', reply?.content ?? ''],
    refused: [refused.status, refused.data.code, refused.data.issues?.[0]?.message ?? ''],
  };
}

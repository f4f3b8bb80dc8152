import type { At, Seen } from '../at.js';
import { client } from './client/client.gen.js';
import { createBase, createLead, listAgents, sendMessage } from './client/index.js';

export async function run({ bearer, agentId }: At): Promise<Seen> {
  client.setConfig({ auth: () => bearer });
  const { data: agents } = await listAgents({ query: { size: 5 }, throwOnError: true });
  const { data: lead } = await createLead({ body: { name: 'Ana', email: 'ana@example.com' }, throwOnError: true });
  const data = { question: 'When are you open?', answer: 'At nine.' };
  const sources = [{ type: 'faq' as const, file: { data } }];
  const { data: base } = await createBase({ body: { description: 'Hours', sources }, throwOnError: true });
  const path = { agentId };
  const { data: turn } = await sendMessage({ path, body: { message: { content: 'Hello' } }, throwOnError: true });
  // It may be the text of a stream too, which only `Accept` asks for.
  const reply = typeof turn === 'string' ? undefined : turn.messages[0];
  // @ts-expect-error a robot is none of the roles
  const refused = await sendMessage({ path, body: { message: { role: 'robot', content: 'x' } } });
  return {
    agents: agents.data.map(({ id }) => id),
    lead: [lead.name, lead.email],
    base: base.description,
    reply: [reply?.role ?? '', reply?.content ?? ''],
    refused: [refused.response?.status ?? 0, refused.error?.code ?? '', refused.error?.issues?.[0]?.message ?? ''],
  };
}

import { setConfig } from '@kubb/plugin-client/clients/fetch';
import type { At, Seen } from '../at.js';
import { createBase, createLead, listAgents, sendMessage } from './client/index.js';
import type { Error as Failure } from './client/types/Error.js';

export async function run({ url, bearer, agentId }: At): Promise<Seen> {
  // Its fetch names no type of what it sends.
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  setConfig({ baseURL: url, headers });
  const { data: agents } = await listAgents({ size: 5 });
  const { data: lead } = await createLead({ name: 'Ana', email: 'ana@example.com' });
  const data = { question: 'When are you open?', answer: 'At nine.' };
  const { data: base } = await createBase({ description: 'Hours', sources: [{ type: 'faq', file: { data } }] });
  const { data: turn } = await sendMessage(agentId, { message: { content: 'Hello' } });
  const reply = turn.messages[0];
  // @ts-expect-error a robot is none of the roles
  const { status, data: refused } = await sendMessage(agentId, { message: { role: 'robot', content: 'x' } });
  // It throws nothing, and types every answer as that of a success.
  const { code, issues } = refused as unknown as Failure;
  return {
    agents: agents.data.map(({ id }) => id),
    lead: [lead.name, lead.email],
    base: base.description,
    reply: [reply?.role ?? '', reply?.content ?? ''],
    refused: [status, code, issues?.[0]?.message ?? ''],
  };
}

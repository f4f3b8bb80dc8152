import createClient from 'openapi-fetch';
import type { At, Seen } from '../at.js';
import type { components, paths } from './schema.js';

const whole = <T>({ data, error }: { data?: T; error?: components['schemas']['Error'] }): T => {
  if (data === undefined) throw new Error(error?.code);
  return data;
};

export async function run({ url, bearer, agentId }: At): Promise<Seen> {
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${bearer}` } });
  const agents = whole(await client.GET('/rest/agents', { params: { query: { size: 5 } } }));
  const lead = whole(await client.POST('/rest/leads', { body: { name: 'Ana', email: 'ana@example.com' } }));
  const data = { question: 'When are you open?', answer: 'At nine.' };
  const sources = [{ type: 'faq' as const, file: { data } }];
  const base = whole(await client.POST('/rest/bases', { body: { description: 'Hours', sources } }));
  const params = { path: { agentId } };
  const turn = whole(await client.POST('/api/{agentId}', { params, body: { message: { content: 'Hello' } } }));
  // It may be the text of a stream too, which only `Accept` asks for.
  const reply = typeof turn === 'string' ? undefined : turn.messages[0];
  // @ts-expect-error a robot is none of the roles
  const refused = await client.POST('/api/{agentId}', { params, body: { message: { role: 'robot', content: 'x' } } });
  return {
    agents: agents.data.map(({ id }) => id),
    lead: [lead.name, lead.email],
    base: base.description,
    reply: [reply?.role ?? '', reply?.content ?? ''],
    refused: [refused.response.status, refused.error?.code ?? '', refused.error?.issues?.[0]?.message ?? ''],
  };
}

import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const query = 'query ($filter: LeadFilter) { leads(filter: $filter) { totalCount nodes { name } } }';
const ask = (filter: object, workspace = home) => gateway.graphql(workspace.viewer, query, { filter });

beforeAll(async () => {
  const data = [home, other].map(({ id: workspaceId }) => ({
    id: newId('lead'),
    workspaceId,
    name: 'João',
    email: 'joao@example.com',
  }));
  await gateway.database.lead.createMany({ data });
});

describe('a filter', () => {
  test('finds the rows of its own workspace alone', async () => {
    for (const filter of [
      { name: { equals: 'JOAO' } },
      { or: [{ email: { equals: 'Joao@Example.com' } }] },
      { not: {} },
    ]) {
      const { data } = await ask(filter);
      expect(data.leads.totalCount).toBe('not' in filter ? 0 : 1);
    }
  });

  test('goes through a relation to rows that its own list would find, and through one alone', async () => {
    const agent = await makeAgent(gateway, home.editor, { name: 'Ana' });
    const of = { workspaceId: home.id, agentId: agent.id };
    const made =
      'mutation ($id: ID!) { createChannel(input: { agentId: $id, platform: telegram }) { channel { id } } }';
    const { channel } = (await gateway.data(home.editor, made, { id: agent.id })).createChannel;
    const leads = ['Ana', 'Bo'].map((name) => {
      const email = name === 'Ana' ? 'a@x.co' : null;
      return gateway.database.lead.create({ data: { id: newId('lead'), workspaceId: home.id, name, email } });
    });
    for (const lead of [...(await Promise.all(leads)), null]) {
      const row = { id: newId('conversation'), channelId: channel.id, leadId: lead?.id ?? null };
      await gateway.database.conversation.create({ data: { ...row, ...of } });
    }
    const found = async (filter: object) => {
      const text = 'query ($filter: ConversationFilter) { conversations(filter: $filter) { nodes { lead { name } } } }';
      const { data, errors } = await gateway.graphql(home.viewer, text, { filter });
      return (
        errors ?? data.conversations.nodes.map(({ lead }: { lead: { name: string } | null }) => lead?.name ?? null)
      );
    };
    expect(await found({ lead: { hasEmail: true } })).toEqual(['Ana']);
    expect(await found({ lead: { name: { startsWith: 'b' } } })).toEqual(['Bo']);
    expect((await found({ not: { lead: { hasEmail: true } } })).sort()).toEqual(['Bo', null]);
    expect(await found({ and: [{ lead: {} }, { agent: { status: ['archived'] } }] })).toEqual([]);
    const text = 'query ($filter: MessageFilter) { messages(filter: $filter) { totalCount } }';
    const filter = { conversation: { lead: { hasEmail: true } } };
    expectFailure(
      await gateway.graphql(home.viewer, text, { filter }),
      'invalid_request',
      /can follow one relation, not two/,
    );
  });

  test.each<[string, object, RegExp]>([
    [
      'more than 100 conditions',
      { or: Array(100).fill({ hasEmail: true }) },
      /^filter: must have at most 100 conditions/,
    ],
    [
      'and, or and not more than 10 levels deep',
      Array(11)
        .fill(0)
        .reduce((inner: object) => ({ not: inner }), {}),
      /^filter: and, or and not may be nested at most 10 deep/,
    ],
    [
      'more than 5,000 values',
      { and: Array(6).fill({ agentIds: Array(1_000).fill('x') }) },
      /^filter: must have at most 5,000 values in all/,
    ],
    [
      'a text of more than 500 characters',
      { name: { contains: 'x'.repeat(501) } },
      /^filter\.name\.contains: .* 500 characters/,
    ],
    [
      'a text with U+0000',
      { not: { name: { in: ['a', '\0'] } } },
      /^filter\.not\.name\.in\.1 contains a NUL character/,
    ],
    ['a year beyond 9999', { or: [{ createdAt: { from: '+010000-01-01T00:00:00Z' } }] }, /createdAt/],
  ])('with %s is refused', async (_, filter, message) => {
    expectFailure(await ask(filter), 'invalid_request', message);
  });
});

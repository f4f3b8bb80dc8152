import { describe, expect, test } from 'vitest';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const thisMonth = new Date().toISOString().slice(0, 7);
const [year = 0, number = 1] = thisMonth.split('-').map(Number);
const monthsAgo = (count: number) => new Date(Date.UTC(year, number - 1 - count)).toISOString().slice(0, 7);

const say = async (workspace: typeof home, agentId: string) => {
  const { status, body } = await gateway.rest(workspace.app, 'POST', `/api/${agentId}`, {
    message: { content: 'Hello' },
  });
  expect(status).toBe(200);
  return body.id as string;
};
const breakdown = (by: string, fields = 'count') => `{ usage { current breakdown(by: [${by}]) { ${fields} } } }`;

describe('usage', () => {
  test('tells the months before, newest first, with none where nothing was used', async () => {
    await gateway.database.usage.createMany({
      data: [
        { workspaceId: home.id, month: monthsAgo(1), current: 7 },
        { workspaceId: home.id, month: monthsAgo(3), current: 3 },
        { workspaceId: other.id, month: monthsAgo(2), current: 99 },
      ],
    });
    const { usage } = await gateway.data(home.viewer, '{ usage { before(last: 4) { month current } } }');
    expect(usage.before).toEqual([7, 0, 3, 0].map((current, index) => ({ month: monthsAgo(index + 1), current })));
    expect((await gateway.data(home.viewer, '{ usage { before { month } } }')).usage.before).toHaveLength(12);
    const wrong = await gateway.graphql(home.viewer, '{ usage { before(last: 37) { month } } }');
    expectFailure(wrong, 'invalid_request', 'last: must be between 1 and 36, got 37');
  });

  test('is divided by agent, channel, model and day, also when a conversation is gone', async () => {
    const agents = [await makeAgent(gateway, home.editor), await makeAgent(gateway, home.editor)] as const;
    await say(home, agents[0].id);
    const id = await say(home, agents[1].id);
    await say(home, agents[1].id);
    const remove =
      'mutation ($input: DeleteConversationInput!) { deleteConversation(input: $input) { clientMutationId } }';
    await gateway.data(home.admin, remove, { input: { id } });
    const fields = 'day agentId agent { id } channel { platform } model count promptTokens cost';
    const { usage } = await gateway.data(home.viewer, breakdown('agent, channel, model', fields));
    expect(
      usage.breakdown.map(({ agent, count }: { agent: { id: string }; count: number }) => [agent.id, count]),
    ).toEqual([
      [agents[1].id, 2],
      [agents[0].id, 1],
    ]);
    expect(usage.breakdown[0]).toMatchObject({ day: null, channel: { platform: 'api' }, model: 'embedded' });
    const { usage: days } = await gateway.data(home.viewer, breakdown('day', 'day count agentId'));
    const ofToday = days.breakdown.filter(({ day }: { day: string }) => day.startsWith(thisMonth));
    expect(ofToday).toEqual(days.breakdown);
    const allDays = Array.from({ length: gateway.services.now().getUTCDate() }, (_, at) =>
      String(at + 1).padStart(2, '0'),
    );
    expect(days.breakdown.map(({ day }: { day: string }) => day)).toEqual(allDays.map((day) => `${thisMonth}-${day}`));
    expect(days.breakdown.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(days.current);
  });

  test('adds up to the count: what nothing tells of is a share without keys', async () => {
    const month = monthsAgo(5);
    await gateway.database.usage.create({ data: { workspaceId: home.id, month, current: 5 } });
    const row = {
      workspaceId: home.id,
      month,
      agentId: 'agt_gone',
      channelId: 'chn_gone',
      createdAt: new Date(`${month}-28`),
    };
    await gateway.database.interaction.createMany({
      data: [
        { ...row, id: 'msg_one', model: 'm', cost: 0.1, promptTokens: 5 },
        { ...row, id: 'msg_two', model: 'm', cost: 0.2 },
      ],
    });
    const fields = 'day agentId agent { id } model count promptTokens cost';
    const document = `{ usage { before(last: 5) { month breakdown(by: [day, agent, model]) { ${fields} } } } }`;
    const { usage } = await gateway.data(home.viewer, document);
    expect(usage.before.at(-1).breakdown).toEqual([
      { day: `${month}-28`, agentId: 'agt_gone', agent: null, model: 'm', count: 2, promptTokens: 5, cost: 0.3 },
      { day: null, agentId: null, agent: null, model: null, count: 3, promptTokens: null, cost: null },
    ]);
  });

  test('is of the workspace alone, and tells costs to whoever has analytics.read', async () => {
    const stranger = await gateway.data(other.viewer, breakdown('agent', 'agentId count'));
    expect(stranger.usage).toEqual({ current: 0, breakdown: [] });
    const answer = await gateway.graphql(home.app, breakdown('agent', 'count cost'));
    expect(expectFailure(answer, 'forbidden')?.path).toEqual(['usage', 'breakdown', 0, 'cost']);
    expect(answer.data.usage.breakdown[0]).toEqual({ count: 2, cost: null });
    expectFailure(await gateway.graphql(null, breakdown('agent')), 'unauthorized');
  });
});

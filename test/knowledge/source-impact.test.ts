import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { makeKey } from '../support/auth/keys.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create, faq } from '../support/knowledge/knowledge.ts';

const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
let agentId: string;
let baseId: string;
let pool: string;
let parking: string;

type Seen = any;
const sourceIn = async (base: string, sources: object[]): Promise<string[]> => {
  const add = 'mutation ($input: AddSourceInput!) { addSource(input: $input) { source { id } } }';
  const ids: string[] = [];
  for (const source of sources) {
    const input = { baseId: base, ...source };
    ids.push((await gateway.data(home.editor, add, { input })).addSource.source.id);
  }
  await gateway.services.queue.idle();
  return ids;
};
async function ask(content: string, agent = agentId): Promise<Seen> {
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agent}`, { message: { content } });
  expect(status).toBe(200);
  return body.messages.at(-1);
}
const attach = (agent: string) =>
  gateway.data(
    home.editor,
    `mutation { attachBase(input: { agentId: "${agent}", baseId: "${baseId}" }) { agent { id } } }`,
  );

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  other = await makeWorkspace(gateway);
  await gateway.work();
  const input = { description: 'Camp', sources: [faq('When do you open?', 'The gates open at dawn.')] };
  baseId = (await gateway.data(home.editor, create, { input })).createBase.base.id;
  [pool = '', parking = ''] = await sourceIn(baseId, [
    faq('When is the pool open?', 'The pool is open from May.'),
    faq('Is parking free?', 'Parking is free for guests of the pool.'),
  ]);
  agentId = (await makeAgent(gateway, home.editor)).id;
  await attach(agentId);
});

const document = `query ($sourceId: ID!, $first: Int) {
  sourceImpact(sourceId: $sourceId) {
    citationCount
    source { id citations(first: 10) { totalCount nodes { message { content } source { id } } } }
    questions(first: $first) { examined nodes { question reply { content conversation { id } } } }
    gaps(first: $first) { examined nodes { id question state } }
  }
}`;
const impact = async (sourceId: string, variables: object = {}): Promise<Seen> =>
  (await gateway.data(home.editor, document, { sourceId, ...variables })).sourceImpact;

describe('the impact of a source', () => {
  test('is the replies that cite it, and the past questions that find nothing without it', async () => {
    const { content } = await ask('When is the pool open?');
    expect(content).toContain('from May');
    await ask('when is the POOL open');
    await ask('Is parking free?');
    const found = await impact(pool);
    expect(found).toMatchObject({
      citationCount: 2,
      source: { id: pool, citations: { totalCount: 2, nodes: [{ source: { id: pool } }, {}] } },
    });
    expect(found.source.citations.nodes.at(-1).message.content).toBe(content);
    // The word "pool" still finds "Parking is free for guests of the pool".
    expect(found.questions).toEqual({ examined: 2, nodes: [] });
    const { questions, citationCount } = await impact(parking);
    expect(citationCount).toBe(1);
    expect(questions.nodes).toMatchObject([{ question: 'Is parking free?', reply: { conversation: {} } }]);
    expect((await impact(parking, { first: 1 })).questions.examined).toBe(1);
  });

  test('includes questions of agents that cite nothing', async () => {
    const silent = await makeAgent(gateway, home.editor, { references: false });
    await attach(silent.id);
    const [bakery = ''] = await sourceIn(baseId, [faq('Where is the bakery?', 'The bakery is behind the chapel.')]);
    const { content } = await ask('Where is the bakery?', silent.id);
    expect(content).toContain('chapel');
    expect(await impact(bakery)).toMatchObject({
      citationCount: 0,
      questions: { examined: 1, nodes: [{ question: 'Where is the bakery?', reply: { content } }] },
    });
  });

  test('is the open gaps that it closes', async () => {
    await ask('Do you rent canoes?');
    await ask('Are dogs allowed?');
    const [canoes = ''] = await sourceIn(baseId, [
      faq('Do you rent canoes?', 'We rent canoes for 20 euros a day, from May to September.'),
    ]);
    const { gaps, questions } = await impact(canoes);
    expect(gaps).toEqual({
      examined: 2,
      nodes: [{ id: expect.stringMatching(/^gap_/), question: 'Do you rent canoes?', state: 'open' }],
    });
    expect(questions).toEqual({ examined: 0, nodes: [] });
    expect((await impact(pool)).gaps.nodes).toEqual([]);
  });

  test('counts a source once for each reply, and goes with the source and with the reply', async () => {
    const [sauna = ''] = await sourceIn(baseId, [faq('Is there a sauna?', 'The sauna is next to the lake.')]);
    await ask('Is there a sauna?');
    const reference = (sourceId: string) => ({ passageId: newId('passage'), sourceId, baseId, quote: 'x' });
    const references = [reference(sauna), reference(sauna), reference(newId('source')), 'no reference'];
    await gateway.rest(home.app, 'POST', `/api/${agentId}`, {
      message: { role: 'assistant', content: 'The lake. [1]', metadata: { references } },
    });
    const { source } = await impact(sauna);
    expect(source.citations.totalCount).toBe(2);
    const id = (await gateway.database.message.findFirstOrThrow({ where: { content: 'The lake. [1]' } }))
      .conversationId;
    await gateway.data(home.owner, `mutation { deleteConversation(input: { id: "${id}" }) { conversation { id } } }`);
    expect((await impact(sauna)).citationCount).toBe(1);
    await gateway.data(home.editor, `mutation { deleteSource(input: { id: "${sauna}" }) { source { id } } }`);
    expect(await gateway.database.citation.count({ where: { sourceId: sauna } })).toBe(0);
    expectFailure(await gateway.graphql(home.editor, document, { sourceId: sauna }), 'not_found', 'Source not found.');
  });

  test('is for those who may change sources, of their own workspace, and shows questions with the scope for them', async () => {
    expectFailure(await gateway.graphql(home.viewer, document, { sourceId: pool }), 'forbidden');
    expectFailure(await gateway.graphql(other.editor, document, { sourceId: pool }), 'not_found', 'Source not found.');
    const first = await gateway.graphql(home.editor, document, { sourceId: pool, first: 201 });
    expectFailure(first, 'invalid_request', /first: must be between 1 and 200/);
    const only = 'query ($id: ID!) { sourceImpact(sourceId: $id) { gaps { examined } questions { examined } } }';
    const secret = await makeKey(gateway, home.owner, { scopes: ['bases.write'] });
    const { data, errors } = await gateway.graphql(secret, only, { id: pool });
    expect(data.sourceImpact).toMatchObject({ gaps: { examined: expect.any(Number) }, questions: null });
    expect(errors?.[0]?.extensions.code).toBe('forbidden');
    const another = await makeAgent(gateway, home.editor);
    const limited = await makeKey(gateway, home.owner, {
      scopes: ['bases.write', 'bases.read', 'conversations.read'],
      agentIds: [another.id],
    });
    expect((await gateway.graphql(limited, document, { sourceId: pool })).data.sourceImpact).toMatchObject({
      citationCount: 0,
      questions: { examined: 0 },
      gaps: { examined: 0 },
    });
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { startModelServer } from '../support/model/model-server.ts';

let server: Awaited<ReturnType<typeof startModelServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  server = await startModelServer(anthropicProtocol('k1'));
  const MODELS = `priced=anthropic:claude-haiku-4-5?url=${server.address}/v1&key=K1&input=3&output=15&cached=0.3`;
  gateway = await openGateway({ MODELS, K1: 'k1' });
  home = await makeWorkspace(gateway);
  await gateway.work();
  agent = await makeAgent(gateway, home.editor);
  const faq = { type: 'faq', file: { data: { question: 'When do you open?', answer: 'At nine, every day.' } } };
  const create = 'mutation ($input: CreateBaseInput!) { createBase(input: $input) { base { id } } }';
  const { createBase } = await gateway.data(home.editor, create, { input: { description: 'Shop', sources: [faq] } });
  const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
  await gateway.data(home.editor, attach, { input: { agentId: agent.id, baseId: createBase.base.id } });
  await gateway.services.queue.idle();
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});

const trace = `trace {
  model steps withheld retrievalMs firstTokenMs totalMs cost
  attempts { model outcome reason ms } passages { passageId sourceId baseId score }
  prompt { tokens passages history messages omitted summary } }`;

/** The trace of a message as a viewer sees it, both alone and in a list. */
async function traceFor(viewer: Viewer, id: string) {
  const one = await gateway.data(viewer, `query ($id: ID!) { message(id: $id) { conversation { id } ${trace} } }`, {
    id,
  });
  const list = await gateway.data(
    viewer,
    `query ($id: ID!) { messages(filter: { conversationId: $id }) { nodes { role ${trace} } } }`,
    { id: one.message.conversation.id },
  );
  expect(list.messages.nodes.find(({ role }: { role: string }) => role === 'assistant').trace).toEqual(
    one.message.trace,
  );
  expect(list.messages.nodes.find(({ role }: { role: string }) => role === 'user').trace).toBeNull();
  return one.message.trace;
}

test('who makes agents sees what was sent for a reply, how it went and what it cost; others and REST see nothing', async () => {
  server.next({ status: 529, headers: { 'retry-after': '0' } }, { say: ['At nine', ' [1 "At nine, every day."].'] });
  const message = { content: 'When do you open?' };
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { message });
  expect([status, body.messages[0].content]).toEqual([200, 'At nine [1].']);
  expect(JSON.stringify(body)).not.toMatch(/"(trace|retrievalMs|attempts)"/);
  const { id, metadata, usage } = body.messages[0];

  const seen = await traceFor(home.editor, id);
  expect(seen).toEqual({
    model: 'priced',
    steps: 0,
    withheld: 0,
    retrievalMs: expect.any(Number),
    firstTokenMs: expect.any(Number),
    totalMs: expect.any(Number),
    cost: expect.any(Number),
    attempts: [
      { model: 'priced', outcome: 'failed', reason: 'HTTP 529', ms: expect.any(Number) },
      { model: 'priced', outcome: 'answered', reason: null, ms: expect.any(Number) },
    ],
    passages: [
      {
        passageId: metadata.references[0].passageId,
        sourceId: metadata.references[0].sourceId,
        baseId: metadata.references[0].baseId,
        score: expect.any(Number),
      },
    ],
    prompt: {
      tokens: expect.any(Number),
      passages: expect.any(Number),
      history: expect.any(Number),
      messages: 1,
      omitted: 0,
      summary: false,
    },
  });
  expect(seen.passages[0].score).toBeGreaterThan(0);
  expect(seen.totalMs).toBeGreaterThanOrEqual(seen.firstTokenMs);
  expect(seen.prompt.tokens).toBeGreaterThan(seen.prompt.passages + seen.prompt.history);
  const { promptTokens, cachedTokens, completionTokens } = usage;
  expect(seen.cost).toBeCloseTo(
    ((promptTokens - cachedTokens) * 3 + cachedTokens * 0.3 + completionTokens * 15) / 1e6,
    9,
  );

  expect(await traceFor(home.owner, id)).toEqual(seen);
  expect(await traceFor(home.admin, id)).toEqual(seen);
  expect(await traceFor(home.viewer, id)).toBeNull();
  expect(await traceFor(home.app, id)).toBeNull();
});

test('a reply leads to the passages that it cites, to their sources, and to the search that found them', async () => {
  server.next({ say: ['At nine', ' [1 "At nine, every day."].'] });
  const { body } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, {
    message: { content: 'When do you open?' },
  });
  const { id, metadata } = body.messages[0];
  const [{ passageId, sourceId }] = metadata.references;
  const links = `references { quote title url place passageId sourceId baseId
    passage { id text source { id } } source { id type base { description } } }`;
  const ask = async (viewer: Viewer, fields: string) =>
    (await gateway.data(viewer, `query ($id: ID!) { message(id: $id) { ${fields} } }`, { id })).message;

  const { references } = await ask(home.viewer, links);
  expect(references).toEqual([
    {
      ...metadata.references[0],
      passage: { id: passageId, text: expect.stringContaining('At nine'), source: { id: sourceId } },
      source: { id: sourceId, type: 'faq', base: { description: 'Shop' } },
    },
  ]);

  const search = 'retrieval { query baseIds found(first: 3) { nodes { score passage { id } } } }';
  expect(await ask(home.viewer, `trace { ${search} }`)).toEqual({ trace: null });
  const { trace } = await ask(home.editor, `trace { passages { score passage { id } } ${search} }`);
  expect(trace.retrieval).toMatchObject({ query: 'When do you open?', baseIds: [references[0].baseId] });
  expect(trace.retrieval.found.nodes).toEqual(trace.passages);
  const { query, baseIds } = trace.retrieval;
  const again =
    'query ($q: String!, $ids: [ID!]) { searchPassages(query: $q, baseIds: $ids) { nodes { score passage { id } } } }';
  const { searchPassages } = await gateway.data(home.viewer, again, { q: query, ids: baseIds });
  expect(searchPassages).toEqual(trace.retrieval.found);
  const wrong = await gateway.graphql(
    home.editor,
    `query ($id: ID!) { message(id: $id) { trace { retrieval { found(first: -1) { nodes { score } } } } } }`,
    { id },
  );
  expect(wrong.errors?.[0]?.message).toContain('first');

  // Caller-supplied metadata cannot reference another workspace's rows, and breaks nothing.
  const stranger = await makeWorkspace(gateway);
  const other = await makeAgent(gateway, stranger.editor);
  const given = { references: [references[0], { passageId: 7 }, null, 'x'] };
  const sent = await gateway.rest(stranger.app, 'POST', `/api/${other.id}`, {
    message: { content: 'Hi', metadata: given },
  });
  const seen = await gateway.data(
    stranger.viewer,
    `query ($id: ID!) { messages(filter: { conversationId: $id, role: [user] }) { nodes { ${links} } } }`,
    { id: sent.body.id },
  );
  expect(seen.messages.nodes[0].references).toMatchObject([{ passageId, passage: null, source: null }]);

  await gateway.data(
    home.owner,
    'mutation ($input: ReindexSourceInput!) { reindexSource(input: $input) { source { id } } }',
    { input: { id: sourceId } },
  );
  await gateway.services.queue.idle();
  const after = await ask(home.viewer, 'references { quote source { id } }');
  expect(after.references).toEqual([{ quote: references[0].quote, source: { id: sourceId } }]);
});

test('a trace goes with its message', async () => {
  const { body } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { message: { content: 'Bye' } });
  const where = { workspaceId: home.id, messageId: body.messages[0].id };
  expect(await gateway.database.messageTrace.count({ where })).toBe(1);
  const remove =
    'mutation ($input: DeleteConversationInput!) { deleteConversation(input: $input) { conversation { id } } }';
  await gateway.data(home.owner, remove, { input: { id: body.id } });
  expect(await gateway.database.messageTrace.count({ where })).toBe(0);
});

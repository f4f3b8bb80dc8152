import { describe, expect, test } from 'vitest';
import { retrievalScopeOf, retrievePassages } from '../../src/domain/knowledge/knowledge-bases.ts';
import { expectFailure, openGateway, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { create, faq, html, read, useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const site = useSite();
const { home, change, make, page, settle } = useKnowledge(gateway, site);

describe('a source', () => {
  test('is tried again when the fault may pass', async () => {
    site.pages.set('/flaky', { status: 503, next: { body: html('Back again.') } });
    const { id } = await make([page('/flaky')]);
    const settled = await settle(id);
    expect(settled).toMatchObject({ status: 'succeeded', records: 1 });
    expect(settled.sources.nodes[0].attempts).toBeGreaterThan(1);
  });

  test('fails after three tries, and is read when it is asked for again', async () => {
    site.pages.set('/down', { status: 503 });
    const { id, sources } = await make([page('/down')]);
    expect((await settle(id)).sources.nodes[0]).toMatchObject({
      status: 'failed',
      reason: 'The page responded with 503',
      attempts: 3,
    });
    site.pages.set('/down', { body: html('Up.') });
    const { data } = await change('retrySource', { id: sources.nodes[0].id });
    expect(data.retrySource.source).toMatchObject({ status: 'in_progress', reason: null, attempts: 0 });
    expect(await settle(id)).toMatchObject({ status: 'succeeded' });
  });

  test('is added to a base, and a node and a row of lists like any other', async () => {
    const { id } = await make([faq('a?', 'b')]);
    const added = await change('addSource', {
      baseId: id,
      type: 'faq',
      file: { data: { question: 'c?', answer: 'd' } },
    });
    await gateway.services.queue.idle();
    const { source } = added.data.addSource;
    const query = `query ($id: ID!, $base: ID!) {
      node(id: $id) { id ... on Source { status base { id records } passages { totalCount nodes { text source { id } base { id } } } } }
      sources(filter: { baseId: $base, type: [faq], status: [succeeded] }) { totalCount nodes { id } }
      base(id: $base) { allSources { id } }
    }`;
    const data = await gateway.data(home.viewer, query, { id: source.id, base: id });
    expect(data.node).toEqual({
      id: source.id,
      status: 'succeeded',
      base: { id, records: 2 },
      passages: { totalCount: 1, nodes: [{ text: 'd', source: { id: source.id }, base: { id } }] },
    });
    expect([data.sources.totalCount, data.sources.nodes[0].id, data.base.allSources[1].id]).toEqual([
      2,
      source.id,
      source.id,
    ]);
  });

  test.each<[source: object, message: RegExp]>([
    [{ type: 'faq', file: {} }, /^sources.0.file.data: must be {question, answer}/],
    [{ type: 'faq', file: { data: { question: 'a?' } } }, /^sources.0.file.data.answer: must be a non-empty string/],
    [{ type: 'faq', file: { data: { items: [] } } }, /^sources.0.file.data.items: must be a list/],
    [{ type: 'faq', file: { data: { items: [{ question: 'a', answer: 'b' }, 1] } } }, /see issues/],
    [{ type: 'page', file: {} }, /^sources.0.file: must have a url, or data/],
    [{ type: 'page', file: { data: { words: 'x' } } }, /^sources.0.file: must have a url, or data/],
    [{ type: 'site', file: { url: 'ftp://a.example/' } }, /^sources.0.file.url: must be an http or https address/],
    [{ type: 'page', file: { url: 'nonsense' } }, /^sources.0.file.url/],
    [
      { type: 'page', file: { url: `https://a.example/${'x'.repeat(2_048)}` } },
      /^sources.0.file.url: must have at most 2,048/,
    ],
    [{ type: 'file', file: { data: { text: 'x' }, size: -1 } }, /^sources.0.file.size/],
  ])('is refused when it is not as it should be (%#)', async (source, message) => {
    const answer = await gateway.graphql(home.editor, create, { input: { description: 'x', sources: [source] } });
    expectFailure(answer, 'invalid_request', message);
  });

  test('has a closed file object', async () => {
    const source = { type: 'faq', file: { data: { question: 'a?', answer: 'b' }, colour: 'red' } };
    const answer = await gateway.graphql(home.editor, create, { input: { description: 'x', sources: [source] } });
    expectFailure(answer, 'invalid_request', /colour/);
  });

  test.each([
    [{ description: ' ', sources: [faq('a?', 'b')] }, /^description: must not be empty/],
    [{ description: 'x', sources: [] }, /^sources: must have at least 1 item/],
    [{ description: 'x', sources: Array.from({ length: 51 }, () => faq('a?', 'b')) }, /^sources: must have at most 50/],
  ])('its base is refused when it is not as it should be (%#)', async (input, message) => {
    expectFailure(await gateway.graphql(home.editor, create, { input }), 'invalid_request', message);
  });
});

describe('through REST', () => {
  test('a base is made, read, updated and removed', async () => {
    const body = { description: 'Hours', sources: [faq('When?', 'At nine.')] };
    const made = await gateway.rest(home.app, 'POST', '/rest/bases', body);
    expect([made.status, made.body]).toEqual([200, expect.objectContaining({ status: 'in_progress', records: 0 })]);
    const path = `/rest/bases/${made.body.id}`;
    await settle(made.body.id);
    const file = {
      url: null,
      data: body.sources[0]?.file.data,
      title: null,
      img: null,
      description: null,
      size: null,
      key: null,
      ext: null,
    };
    expect((await gateway.rest(home.app, 'GET', path)).body).toEqual({
      id: made.body.id,
      status: 'succeeded',
      description: 'Hours',
      sources: [{ id: expect.stringMatching(/^src_/), baseId: made.body.id, type: 'faq', status: 'succeeded', file }],
    });
    const more = { description: 'Hours', sources: [faq('Where?', 'Here.')] };
    expect((await gateway.rest(home.app, 'PUT', path, more)).body).toMatchObject({ status: 'in_progress', records: 1 });
    expect((await settle(made.body.id)).records).toBe(2);
    expect((await gateway.rest(home.app, 'DELETE', path)).body).toEqual({ id: made.body.id, deleted: true });
    expect((await gateway.rest(home.app, 'DELETE', path)).status).toBe(404);
  });

  test('the file object is closed', async () => {
    const sources = [{ type: 'faq', file: { data: { question: 'a?', answer: 'b' }, colour: 'red' } }];
    const { status, body } = await gateway.rest(home.app, 'POST', '/rest/bases', { description: 'x', sources });
    expect([status, body.code, body.issues[0].message]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('colour'),
    ]);
  });
});

describe('a source never sticks', () => {
  test.each([
    ['whose job is lost', 'DELETE FROM pgboss.job', 1],
    [
      'whose worker was killed',
      `WITH begun AS (UPDATE "Source" SET attempts = 1) UPDATE pgboss.job SET state = 'active', started_on = now(), heartbeat_on = now() - interval '1 hour'`,
      2,
    ],
  ])('%s', async (_name, damage, attempts) => {
    const mine = await openGateway();
    try {
      const workspace = await makeWorkspace(mine);
      const input = { description: 'x', sources: [faq('a?', 'b')] };
      const { createBase } = await mine.data(workspace.editor, create, { input });
      await mine.handle.pool.query(damage);
      await mine.work();
      await mine.services.queue.idle();
      const data = await mine.data(workspace.viewer, read, { id: createBase.base.id });
      expect(data.base).toMatchObject({
        status: 'succeeded',
        records: 1,
        sources: { nodes: [{ status: 'succeeded', attempts }] },
      });
    } finally {
      await mine.close();
    }
  });

  test('that brings the process down again and again', async () => {
    const { id, sources } = await make([faq('a?', 'b')]);
    await settle(id);
    await gateway.data(
      home.editor,
      `mutation { retrySource(input: { id: "${sources.nodes[0].id}" }) { source { id } } }`,
    );
    await gateway.services.queue.idle();
    const where = { workspaceId_id: { workspaceId: home.id, id: sources.nodes[0].id } };
    const { revision } = await gateway.database.source.update({
      where,
      data: { status: 'in_progress', attempts: 10, revision: 5 },
    });
    const data = { workspaceId: home.id, sourceId: sources.nodes[0].id, revision };
    await gateway.services.queue.transact((_tx, enqueue) => enqueue([{ name: 'ingest', key: 'again', data }]));
    expect((await settle(id)).sources.nodes[0]).toMatchObject({
      status: 'failed',
      reason: 'It was interrupted 10 times',
    });
  });
});

test('an agent finds passages of the bases that it answers from, and of no others', async () => {
  const agent = await makeAgent(gateway, home.editor);
  const mine = await make([
    faq('What does the warranty cover?', 'Zippers and seams, for two years.', { title: 'Warranty' }),
  ]);
  await make([faq('What does the warranty cover?', 'Nothing at all.')]);
  await settle(mine.id);
  await gateway.data(
    home.editor,
    `mutation { attachBase(input: { agentId: "${agent.id}", baseId: "${mine.id}" }) { agent { id } } }`,
  );
  const context = { ...gateway.services, viewer: home.viewer };
  const { passages } = await retrievePassages(
    context,
    await retrievalScopeOf(context, { id: agent.id, sourceTags: {} }),
    'what is covered by the warranty',
    5,
  );
  expect(passages).toEqual([
    {
      id: expect.stringMatching(/^psg_/),
      sourceId: mine.sources.nodes[0].id,
      score: expect.any(Number),
      baseId: mine.id,
      text: 'Zippers and seams, for two years.',
      place: { question: 'What does the warranty cover?' },
      title: 'Warranty',
      url: null,
      rarities: expect.any(Map),
    },
  ]);
  const others = { ...context, viewer: { ...home.viewer, workspaceId: 'wsp_other' } };
  const scope = await retrievalScopeOf(others, { id: agent.id, sourceTags: {} });
  expect((await retrievePassages(others, scope, 'warranty', 5)).passages).toEqual([]);
  const agents = `{ base(id: "${mine.id}") { agents { nodes { id bases { nodes { id } } } } } bases(filter: { agentId: "${agent.id}" }) { totalCount } }`;
  expect(await gateway.data(home.viewer, agents)).toEqual({
    base: { agents: { nodes: [{ id: agent.id, bases: { nodes: [{ id: mine.id }] } }] } },
    bases: { totalCount: 1 },
  });
});

import { describe, expect, test } from 'vitest';
import { basesToReindex, reindexBase } from '../../src/search/reindexing.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';
import { expectExactIndex } from '../support/search/exact-index.ts';

const gateway = useGateway();
const site = useSite();
const { home, make, put, settle } = useKnowledge(gateway, site);

const file = (title: string | null, text: string) => ({ type: 'file', file: { title, data: { text } } });
const kettle = file('Halden K40 kettle handbook', 'Descale it every two months with citric acid.');

async function find(query: string, baseIds?: string[], bearer = home.viewer): Promise<string[]> {
  const document = `query ($query: String!, $baseIds: [ID!]) {
    searchPassages(query: $query, baseIds: $baseIds, first: 20) { nodes { passage { text } } } }`;
  const { searchPassages } = await gateway.data(bearer, document, { query, baseIds });
  return searchPassages.nodes.map(({ passage }: { passage: { text: string } }) => passage.text);
}

async function ask(baseId: string, message: string): Promise<string> {
  const agent = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }`;
  const { id } = (await gateway.data(home.editor, agent, { input: { name: 'Ada' } })).createAgent.agent;
  const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
  await gateway.data(home.editor, attach, { input: { agentId: id, baseId } });
  const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content } } }`;
  const { messages } = (
    await gateway.data(home.editor, send, { input: { agentId: id, message: { content: message } } })
  ).sendMessage;
  return messages[0].content;
}

describe('words that stand only in a title', () => {
  test('find the passages of a file, of which the embedded model quotes the answer', async () => {
    const { id } = await settle(
      (await make([kettle, file('Halden M7 mixer handbook', 'Take the whisks off before you wash it.')], 'Handbooks'))
        .id,
    );
    expect(await find('How often do I descale the Halden K40 kettle?', [id])).toEqual([
      'Descale it every two months with citric acid.',
    ]);
    expect(await find('mixer', [id])).toEqual(['Take the whisks off before you wash it.']);
    expect(await ask(id, 'How often do I descale the Halden K40 kettle?')).toContain('every two months');
  });

  test('the warranty of a dryer is found by what its manual is called', async () => {
    const { id } = await settle((await make([file('Bosch WTW8500 dryer manual', 'The warranty is 3 years.')])).id);
    const reply = await ask(id, 'How long is the warranty of the Bosch WTW8500 dryer?');
    expect(reply).toContain('3 years');
    expect(reply).not.toMatch(/closest|know/i);
  });

  test('put the source first that is about them, of several that say almost the same', async () => {
    const countries = ['Brazil', 'Portugal', 'Chile'];
    const policies = countries.map((name, index) =>
      file(`${name}: refund policy`, `We refund within ${index + 7} days.`),
    );
    const { id } = await settle((await make(policies, 'Policies')).id);
    expect((await find('refund policy Portugal', [id]))[0]).toBe('We refund within 8 days.');
    expect(await ask(id, 'What is the refund policy in Portugal?')).toContain('8 days');
    expect(await ask(id, 'What is the refund policy in Portugal?')).not.toContain('7 days');
  });

  test('find the pages of a site by their own titles, and by what the site and the base are called', async () => {
    site.pages.set('/', {
      body: '<title>Fjordline</title><main><h1>Welcome</h1><p>Ferries all year.</p><a href="/tickets">x</a></main>',
    });
    site.pages.set('/tickets', {
      body: '<title>Cancellations</title><main><p>You get your money back until the day before.</p></main>',
    });
    const crawled = { type: 'site', file: { url: site.url('/') } };
    const { id } = await settle((await make([crawled], 'Northern travel')).id);
    expect(await find('cancellations', [id])).toEqual(['You get your money back until the day before.']);
    expect(await find('fjordline', [id])).toHaveLength(2);
    expect(await find('northern', [id])).toHaveLength(2);
  });
});

describe('what is renamed', () => {
  test('is found by its new name, and not by the old one', async () => {
    const { id } = await settle((await make([file('Tarn tent', 'Pitch the fly first.')], 'Outdoors')).id);
    expect(await find('tarn', [id])).toHaveLength(1);
    const source = (
      await gateway.data(home.viewer, 'query ($id: ID!) { base(id: $id) { sources { nodes { id } } } }', { id })
    ).base.sources.nodes[0].id;
    const rename = 'mutation ($input: UpdateSourceInput!) { updateSource(input: $input) { source { id } } }';
    await gateway.data(home.editor, rename, {
      input: { id: source, file: { title: 'Ridge shelter', data: { text: 'Pitch the fly first.' } } },
    });
    await settle(id);
    expect(await find('ridge', [id])).toEqual(['Pitch the fly first.']);
    expect(await find('tarn', [id])).toEqual([]);
    await put(id, [file('Ridge shelter', 'Pitch the fly first.')], 'Mountaineering');
    await settle(id);
    expect(await find('mountaineering', [id])).toEqual(['Pitch the fly first.']);
    expect(await find('outdoors', [id])).toEqual([]);
    await expectExactIndex(gateway.handle);
  });

  test('shares a segment with others, which keep their own names', async () => {
    const many = Array.from({ length: 20 }, (_, n) => file(`Lodge number${n}`, `Room ${n} has a view.`));
    const { id } = await settle((await make(many, 'Lodges')).id);
    await gateway.handle.pool.query(`UPDATE "Source" SET "title" = 'Cabin' WHERE "title" = 'Lodge number4'`);
    const [stale] = (await basesToReindex(gateway.database)).filter(({ baseId }) => baseId === id);
    expect(await find('number4', [id])).toEqual(['Room 4 has a view.']);
    await reindexBase(gateway.database, stale ?? { workspaceId: '', baseId: '' });
    expect(await find('cabin', [id])).toEqual(['Room 4 has a view.']);
    expect(await find('number5', [id])).toEqual(['Room 5 has a view.']);
  });
});

describe('after an upgrade', () => {
  test('passages that were indexed in an older way answer, and are indexed anew in the background', async () => {
    const { id } = await settle((await make([file('Quill pens', 'Sand them with fine paper.')], 'Writing')).id);
    const { pool } = gateway.handle;
    await pool.query(`DELETE FROM "PassageTerm" WHERE "term" LIKE '%:quill'`);
    await pool.query(`UPDATE "PassageSegment" SET "analysis" = 0 WHERE "baseId" = $1`, [id]);
    expect(await find('sand', [id])).toHaveLength(1);
    const stale = (await basesToReindex(gateway.database)).filter(({ baseId }) => baseId === id);
    expect(stale).toHaveLength(1);
    for (const base of stale) await reindexBase(gateway.database, base);
    expect(await find('quill', [id])).toEqual(['Sand them with fine paper.']);
    expect((await basesToReindex(gateway.database)).filter(({ baseId }) => baseId === id)).toEqual([]);
    expect((await pool.query(`SELECT FROM "PassageSegment" WHERE "draft" = 'anew'`)).rows).toEqual([]);
  });

  test('what is removed meanwhile stays removed', async () => {
    const sources = [file('Oak chairs', 'Oil them in spring.'), file('Ash chairs', 'Wax them in autumn.')];
    const { id } = await settle((await make(sources, 'Chairs')).id);
    await gateway.handle.pool.query(`UPDATE "PassageSegment" SET "analysis" = 0 WHERE "baseId" = $1`, [id]);
    const [home] = (await basesToReindex(gateway.database)).filter(({ baseId }) => baseId === id);
    const working = reindexBase(gateway.database, home ?? { workspaceId: '', baseId: '' });
    await gateway.database.source.deleteMany({ where: { baseId: id, title: 'Ash chairs' } });
    await working;
    expect(await find('chairs', [id])).toEqual(['Oil them in spring.']);
  });
});

test('titles of another workspace are not found, and none without a bearer', async () => {
  await settle((await make([file('Zephyr kite', 'It flies.')])).id);
  expect(await find('zephyr', undefined, (await makeWorkspace(gateway)).viewer)).toEqual([]);
  const { errors } = await gateway.graphql(null, 'query { searchPassages(query: "zephyr") { nodes { score } } }', {});
  expect(errors?.[0]?.extensions.code).toBe('unauthorized');
});

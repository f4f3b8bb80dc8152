import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { type BaseSeen, create, faq, html, read, update, useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const site = useSite();
const { home, change, hold, make, page, passagesOf, put, see, settle, texts, visited } = useKnowledge(gateway, site);
let other: TestWorkspace;
beforeAll(async () => {
  other = await makeWorkspace(gateway);
});

describe('a base', () => {
  test('is in progress when it is made, and then holds its questions and answers', async () => {
    const items = [
      { question: 'When do you open?', answer: 'At nine.' },
      { question: 'Do you ship abroad?', answer: 'Only to Portugal.' },
    ];
    const made = await make([{ type: 'faq', file: { data: { items } } }], 'Opening hours');
    expect(made).toMatchObject({
      status: 'in_progress',
      records: 0,
      createdBy: home.editor.userId,
      updatedBy: home.editor.userId,
    });
    expect(await settle(made.id)).toMatchObject({ status: 'succeeded', records: 2, description: 'Opening hours' });
    expect(await passagesOf(made.id)).toEqual([
      { text: 'At nine.', place: { question: 'When do you open?' }, position: 0 },
      { text: 'Only to Portugal.', place: { question: 'Do you ship abroad?' }, position: 1 },
    ]);
  });

  test('takes what a page says of itself where nothing was given', async () => {
    const body = `<html><head><title>Returns</title><meta name="description" content="How to send it back">
      <meta property="og:image" content="/box.png"></head><body><main><h1>Returns</h1><p>Send it back within 30 days.</p></main></body></html>`;
    site.pages.set('/returns', { body });
    const { id } = await make([page('/returns'), page('/returns', { title: 'Mine' })]);
    const { status, sources } = await settle(id);
    expect(status).toBe('succeeded');
    expect(sources.nodes.map(({ file }: { file: object }) => file)).toEqual([
      {
        url: site.url('/returns'),
        title: 'Returns',
        description: 'How to send it back',
        img: site.url('/box.png'),
        data: null,
        key: null,
      },
      expect.objectContaining({ title: 'Mine' }),
    ]);
    expect(await texts(id)).toEqual([expect.stringContaining('30 days'), expect.stringContaining('30 days')]);
  });

  test.each(['guide.md', 'page.html', 'handbook.pdf'])('reads the file %s', async (name) => {
    const base64 = (await readFile(new URL(`../files/${name}`, import.meta.url))).toString('base64');
    const { id } = await make([{ type: 'file', file: { data: { base64 }, ext: name.split('.').at(-1) } }]);
    const { status, records } = await settle(id);
    expect([status, records > 0]).toEqual(['succeeded', true]);
  });

  test.each([
    [{ text: 'Plain words.' }, 'Plain words.'],
    [{ html: '<p>Marked words.</p>' }, 'Marked words.'],
  ])('reads the content %j', async (data, text) => {
    const { id } = await make([{ type: 'file', file: { data } }]);
    await settle(id);
    expect(await texts(id)).toEqual([text]);
  });

  test('is found by its description and by its content, as text', async () => {
    const { id } = await make([faq('Política 100%?', 'Reembolsável em 30_dias.')], 'Ação de Natal');
    await settle(id);
    const find = async (search: string) => {
      const query = 'query ($search: String) { bases(search: $search, first: 100) { totalCount nodes { id } } }';
      return (await gateway.data(home.viewer, query, { search })).bases;
    };
    for (const term of ['acao de natal', 'REEMBOLSAVEL', '30_dias', 'política 100%']) {
      expect(await find(term)).toEqual({ totalCount: 1, nodes: [{ id }] });
    }
    expect((await find('reembols%30')).nodes).toEqual([]);
    expect((await find('30.dias')).nodes).toEqual([]);
  });

  test('is removed at once, with all that is in it, even while it is read', async () => {
    const release = hold('/gone', html('Gone'));
    const { id } = await make([faq('a?', 'b'), page('/gone')]);
    await visited('/gone');
    const remove = `mutation { deleteBase(input: { id: "${id}" }) { base { id deleted } } }`;
    expect(await gateway.data(home.editor, remove)).toEqual({ deleteBase: { base: { id, deleted: true } } });
    release();
    await gateway.services.queue.idle();
    const where = { baseId: id };
    expect(await gateway.database.source.count({ where })).toBe(0);
    expect(await gateway.database.passage.count({ where })).toBe(0);
    expectFailure(await gateway.graphql(home.editor, remove), 'not_found', /Base not found/);
  });
});

describe('the status of a base', () => {
  test('is in progress while any source is, and partial when some failed', async () => {
    const release = hold('/slow', html('Slow'));
    const { id } = await make([faq('a?', 'b'), page('/missing'), page('/slow')]);
    await expect
      .poll(async () => (await see(id)).sources.nodes.map(({ status }: { status: string }) => status))
      .toEqual(['succeeded', 'failed', 'in_progress']);
    expect(await see(id)).toMatchObject({ status: 'in_progress', records: 1 });
    release();
    const settled = await settle(id);
    expect(settled).toMatchObject({ status: 'partial', records: 2 });
    expect(settled.sources.nodes[1]).toMatchObject({
      status: 'failed',
      reason: 'The page responded with 404',
      attempts: 1,
    });
  });

  test('is failed when all sources failed, each with its reason', async () => {
    site.pages.set('/song.mp3', { body: 'ID3 la la', type: 'audio/mpeg' });
    const sources = [
      { type: 'page', file: { url: 'http://10.0.0.1/' } },
      { type: 'audio', file: { url: site.url('/song.mp3') } },
      { type: 'file', file: { data: { base64: '***' } } },
    ];
    const { id } = await make(sources);
    const settled = await settle(id);
    expect([settled.status, settled.records]).toEqual(['failed', 0]);
    const reasons = settled.sources.nodes.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toEqual([
      'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)',
      expect.stringMatching(/^No transcription model is configured/),
      expect.stringMatching(/base64/),
    ]);
  });

  test('follows two sources that end at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await make(Array.from({ length: 8 }, (_, index) => faq(`${round}-${index}?`, 'yes')));
      expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 8 });
    }
  });

  test('follows a source that is removed', async () => {
    const { id } = await make([faq('a?', 'b'), page('/missing')]);
    const { sources } = await settle(id);
    expect((await change('deleteSource', { id: sources.nodes[1].id })).data.deleteSource.source.deleted).toBe(true);
    expect(await see(id)).toMatchObject({ status: 'succeeded', records: 1 });
    await change('deleteSource', { id: sources.nodes[0].id });
    expect(await see(id)).toMatchObject({ status: 'succeeded', records: 0, sources: { nodes: [] } });
  });
});

describe('an update of a base', () => {
  test('updates sources of the same type and url, key or content, adds others, and leaves the rest', async () => {
    site.pages.set('/prices', { body: html('Ten.') });
    const { id } = await make([
      page('/prices'),
      faq('a?', 'old', { key: 'k1' }),
      faq('b?', 'same'),
      faq('c?', 'stays'),
    ]);
    const before = await settle(id);
    site.pages.set('/prices', { body: html('Twelve.') });
    const sources = [
      faq('new?', 'one'),
      faq('b?', 'same', { title: 'B' }),
      faq('a?', 'new', { key: 'k1' }),
      page('/prices'),
    ];
    const after = await put(id, sources, 'Prices');
    expect(after).toMatchObject({
      description: 'Prices',
      status: 'in_progress',
      records: 4,
      updatedBy: home.editor.userId,
    });
    const settled = await settle(id);
    const ids = ({ sources }: BaseSeen) => sources.nodes.map((source: { id: string }) => source.id);
    expect(ids(settled).slice(0, 4)).toEqual(ids(before));
    expect(settled.sources.nodes).toHaveLength(5);
    expect(settled.sources.nodes[2].file.title).toBe('B');
    expect((await texts(id)).toSorted()).toEqual(['Twelve.', 'new', 'one', 'same', 'stays']);
    expect(settled).toMatchObject({ status: 'succeeded', records: 5 });
  });

  test('changes nothing when it is repeated', async () => {
    const sources = [faq('a?', 'b'), faq('a?', 'b')];
    const { id } = await make(sources);
    await settle(id);
    await put(id, sources);
    const settled = await settle(id);
    expect([settled.records, settled.sources.nodes.length]).toEqual([2, 2]);
  });

  test('has the old passages found until the new ones are in', async () => {
    site.pages.set('/menu', { body: html('Soup of the day.') });
    const { id } = await make([page('/menu')]);
    await settle(id);
    const release = hold('/menu', html('Fish of the day.'));
    await put(id, [page('/menu')]);
    await visited('/menu', 2);
    expect(await see(id)).toMatchObject({ status: 'in_progress', records: 1 });
    expect(await texts(id)).toEqual(['Soup of the day.']);
    release();
    await settle(id);
    expect(await texts(id)).toEqual(['Fish of the day.']);
  });

  test('keeps the old passages when the new reading fails', async () => {
    site.pages.set('/about', { body: html('About us.') });
    const { id } = await make([page('/about')]);
    await settle(id);
    site.pages.set('/about', { status: 410 });
    await put(id, [page('/about')]);
    expect(await settle(id)).toMatchObject({ status: 'failed', records: 1 });
    expect(await texts(id)).toEqual(['About us.']);
  });

  test('is not undone by an older reading that ends later', async () => {
    const release = hold('/race', html('Old.'));
    const { id, sources } = await make([page('/race')]);
    await visited('/race');
    await change('updateSource', { id: sources.nodes[0].id, file: { data: { text: 'New.' } } });
    await expect.poll(() => texts(id)).toEqual(['New.']);
    release();
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 1 });
    expect(await texts(id)).toEqual(['New.']);
  });

  test('that is refused changes nothing and has nothing read', async () => {
    const { id, sources } = await make([faq('a?', 'b')]);
    await settle(id);
    const [source] = sources.nodes;
    expectFailure(
      await change('updateSource', { id: source.id, file: { url: site.url('/x') } }),
      'invalid_request',
      /^file.data: must be/,
    );
    const row = await gateway.database.source.findFirstOrThrow({ where: { id: source.id } });
    expect(row).toMatchObject({ revision: 0, status: 'succeeded', url: null });
    const { rows } = await gateway.handle.pool.query("SELECT 1 FROM pgboss.job WHERE data->>'sourceId' = $1", [
      source.id,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('what another workspace has', () => {
  test('is not found, read, changed or searched', async () => {
    const { id, sources } = await make([faq('secret?', 'treasure')]);
    await settle(id);
    const source = sources.nodes[0].id;
    const as = (document: string, variables: object) => gateway.graphql(other.owner, document, variables);
    const input = { id, description: 'x', sources: [faq('a?', 'b')] };
    expectFailure(await as(read, { id }), 'not_found', /Base not found/);
    expectFailure(await as(update, { input }), 'not_found', /Base not found/);
    const mutate = (call: string) => as(`mutation { ${call} }`, {});
    expectFailure(await mutate(`deleteBase(input: { id: "${id}" }) { base { id } }`), 'not_found', /Base not found/);
    expectFailure(
      await mutate(`deleteSource(input: { id: "${source}" }) { source { id } }`),
      'not_found',
      /Source not found/,
    );
    expectFailure(
      await mutate(`retrySource(input: { id: "${source}" }) { source { id } }`),
      'not_found',
      /Source not found/,
    );
    expectFailure(
      await mutate(
        `addSource(input: { baseId: "${id}", type: page, file: { data: { text: "x" } } }) { source { id } }`,
      ),
      'not_found',
    );
    expectFailure(
      await mutate(`updateSource(input: { id: "${source}", file: { url: "http://a.example" } }) { source { id } }`),
      'not_found',
    );
    const passage = await gateway.database.passage.findFirstOrThrow({ where: { baseId: id } });
    const query = `{ a: node(id: "${id}") { id } b: node(id: "${source}") { id } c: node(id: "${passage.id}") { id }
      bases(search: "treasure") { totalCount } sources(filter: { baseId: "${id}" }) { totalCount } }`;
    expect(await gateway.data(other.owner, query)).toEqual({
      a: null,
      b: null,
      c: null,
      bases: { totalCount: 0 },
      sources: { totalCount: 0 },
    });
  });

  test('is not written by a viewer either', async () => {
    const answer = await gateway.graphql(home.viewer, create, {
      input: { description: 'x', sources: [faq('a?', 'b')] },
    });
    expectFailure(answer, 'forbidden', /role viewer/);
  });
});

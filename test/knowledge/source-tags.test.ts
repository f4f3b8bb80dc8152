import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const add = `mutation ($input: AddSourceInput!) { addSource(input: $input) { source { id tags } } }`;
const set = `mutation ($input: SetSourceTagsInput!) { setSourceTags(input: $input) { source { tags status file { data } } } }`;
const find = `query ($query: String!, $tags: JSONObject) {
  searchPassages(query: $query, tags: $tags) { nodes { passage { source { id } } } }
}`;

/** Sources of one base with the same text; passages of the last two share an index segment. */
const sources: string[] = [];
let baseId: string;
beforeAll(async () => {
  const { database } = gateway;
  const workspaceId = home.id;
  baseId = newId('base');
  await database.base.create({ data: { id: baseId, workspaceId, description: 'Manuals' } });
  for (const tags of [{ product: 'crm', language: 'en' }, { product: 'erp' }, { product: 'crm' }]) {
    const id = newId('source');
    await database.source.create({ data: { id, workspaceId, baseId, type: 'file', status: 'succeeded', tags } });
    sources.push(id);
  }
  const rows = sources.map((sourceId, n) => {
    const text = `The invoices are sent ${'by mail '.repeat(n + 1)}`;
    return { workspaceId, baseId, sourceId, position: 0, text, place: {} };
  });
  await insertPassages(database, rows.slice(0, 1));
  await insertPassages(database, rows.slice(1));
});

async function found(tags?: object): Promise<string[]> {
  const { searchPassages } = await gateway.data(home.viewer, find, { query: 'invoices', tags });
  return searchPassages.nodes.map(({ passage }: any) => passage.source.id).sort();
}
const sorted = (...places: number[]) => places.map((place) => sources[place]).sort();

describe('tags of sources', () => {
  test('leave a search those that have all of them', async () => {
    expect(await found()).toEqual(sorted(0, 1, 2));
    expect(await found({})).toEqual(sorted(0, 1, 2));
    expect(await found({ product: 'crm' })).toEqual(sorted(0, 2));
    expect(await found({ product: 'erp' })).toEqual(sorted(1));
    expect(await found({ product: 'crm', language: 'en' })).toEqual(sorted(0));
    expect(await found({ product: 'none' })).toEqual([]);
  });

  test('leave an agent, and a message of it, those sources; trace shows which', async () => {
    const { id: agentId } = await makeAgent(gateway, home.editor, { sourceTags: { product: 'crm' } });
    await gateway.data(
      home.editor,
      'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { clientMutationId } }',
      {
        input: { agentId, baseId },
      },
    );
    await gateway.data(
      home.editor,
      'mutation ($input: PublishAgentInput!) { publishAgent(input: $input) { clientMutationId } }',
      {
        input: { id: agentId },
      },
    );
    const ask = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages {
      trace { passages { sourceId } retrieval { tags baseIds found { nodes { passage { source { id } } } } } }
    } } }`;
    const answer = async (sourceTags?: object) => {
      const input = { agentId, message: { content: 'How are invoices sent?' }, sourceTags };
      const { trace } = (await gateway.data(home.editor, ask, { input })).sendMessage.messages[0];
      const again = trace.retrieval.found.nodes.map(({ passage }: any) => passage.source.id).sort();
      return { tags: trace.retrieval.tags, used: trace.passages.map((one: any) => one.sourceId).sort(), again };
    };
    expect(await answer()).toEqual({ tags: { product: 'crm' }, used: sorted(0, 2), again: sorted(0, 2) });
    const both = { product: 'crm', language: 'en' };
    expect(await answer({ language: 'en' })).toEqual({ tags: both, used: sorted(0), again: sorted(0) });
    // A message cannot override the tags of the agent.
    expect(await answer({ product: 'erp' })).toMatchObject({ tags: { product: 'crm' }, used: sorted(0, 2) });
  });

  test('are read in data.tags when they are short texts, and anything else there stays data', async () => {
    const tagsOf = async (tags: unknown) => {
      const file = { data: { question: 'Why?', answer: 'Because.', tags } };
      return (await gateway.data(home.editor, add, { input: { baseId, type: 'faq', file } })).addSource.source.tags;
    };
    expect(await tagsOf({ product: 'crm' })).toEqual({ product: 'crm' });
    for (const free of [['a'], 'a', 7, null, { nested: { a: 1 } }, { long: 'x'.repeat(101) }]) {
      expect(await tagsOf(free)).toEqual({});
    }
  });

  test('are set without a source being read again, as a whole', async () => {
    const file = { data: { question: 'How?', answer: 'So.' } };
    const { source } = (await gateway.data(home.editor, add, { input: { baseId, type: 'faq', file } })).addSource;
    const write = async (tags: object) =>
      (await gateway.data(home.editor, set, { input: { id: source.id, tags } })).setSourceTags.source;
    expect(await write({ a: 'b' })).toMatchObject({ tags: { a: 'b' }, file: { data: file.data } });
    expect(await write({ c: 'd' })).toMatchObject({ tags: { c: 'd' } });
    expect(await write({})).toMatchObject({ tags: {} });
  });

  test('need a bearer, a source of the workspace, and short texts', async () => {
    const input = { id: sources[0], tags: { product: 'crm' } };
    expectFailure(await gateway.graphql(null, set, { input }), 'unauthorized');
    expectFailure(await gateway.graphql(other.editor, set, { input }), 'not_found');
    expectFailure(await gateway.graphql(home.viewer, set, { input }), 'forbidden');
    const bad = { id: sources[0], tags: { product: 'x'.repeat(101) } };
    expectFailure(await gateway.graphql(home.editor, set, { input: bad }), 'invalid_request', /tags\.product/);
    expectFailure(
      await gateway.graphql(home.viewer, find, { query: 'x', tags: { a: 1 } }),
      'invalid_request',
      /tags\.a/,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { casesOf } from '../support/random/cases.ts';
import { options } from '../support/random/seed.ts';

const { gateway, home, other } = useWorkspaces();

const record =
  'mutation ($input: RecordCopyInput!) { recordCopy(input: $input) { copy { id promptId completionId content workspaceId } } }';
const updateCopy = 'mutation ($input: UpdateCopyInput!) { updateCopy(input: $input) { copy { id content } } }';
const deleteCopy = 'mutation ($input: DeleteCopyInput!) { deleteCopy(input: $input) { copy { id deleted } } }';
const list = `query ($promptId: String, $first: Int, $after: String) {
  copywriting(filter: { promptId: $promptId }, first: $first, after: $after) { nodes { content } pageInfo { endCursor hasNextPage } }
}`;

async function keep(promptId: string, content: string, workspace = home): Promise<string> {
  const input = { promptId, completionId: 'cmp_1', content };
  return (await gateway.data(workspace.editor, record, { input })).recordCopy.copy.id;
}

describe('a copywriting record', () => {
  test('keeps what a prompt gave', async () => {
    const input = { promptId: 'prompt-1', completionId: 'completion-1', content: 'Buy now.\n' };
    const { recordCopy } = await gateway.data(home.app, record, { input });
    expect(recordCopy.copy).toEqual({ ...input, id: expect.stringMatching(/^cpy_/), workspaceId: home.id });
  });

  test('is listed by prompt, newest first, to the end by cursor', async () => {
    for (const content of ['one', 'two', 'three']) await keep('listed', content);
    await keep('another', 'four');
    const first = (await gateway.data(home.viewer, list, { promptId: 'listed', first: 2 })).copywriting;
    expect(first.nodes.map((copy: { content: string }) => copy.content)).toEqual(['three', 'two']);
    const { endCursor: after } = first.pageInfo;
    const second = (await gateway.data(home.viewer, list, { promptId: 'listed', first: 2, after })).copywriting;
    expect([second.nodes, second.pageInfo.hasNextPage]).toEqual([[{ content: 'one' }], false]);
    expectFailure(
      await gateway.graphql(home.viewer, list, { promptId: 'another', after }),
      'invalid_request',
      /after: this cursor is from/,
    );
  });

  test('comes with up to 1000 others at once, for REST', async () => {
    const data = Array.from({ length: 150 }, (_, i) => ({
      id: `cpy_many${i}`,
      workspaceId: home.id,
      promptId: 'many',
      completionId: 'c',
      content: `${i}`,
    }));
    await gateway.database.copy.createMany({ data });
    expect((await gateway.data(home.viewer, list, { promptId: 'many', first: 1_000 })).copywriting.nodes).toHaveLength(
      150,
    );
    expectFailure(
      await gateway.graphql(home.viewer, list, { promptId: 'many', first: 1_001 }),
      'invalid_request',
      /between 0 and 1000/,
    );
  });

  test('changes its text and goes', async () => {
    const id = await keep('p', 'old');
    expect(await gateway.data(home.editor, updateCopy, { input: { id, content: 'new' } })).toEqual({
      updateCopy: { copy: { id, content: 'new' } },
    });
    expect(await gateway.data(home.editor, deleteCopy, { input: { id } })).toEqual({
      deleteCopy: { copy: { id, deleted: true } },
    });
    expectFailure(await gateway.graphql(home.editor, deleteCopy, { input: { id } }), 'not_found', /Copy not found/);
  });

  test('is not written by a viewer, nor without a prompt', async () => {
    const input = { promptId: 'p', completionId: 'c', content: 'x' };
    expectFailure(await gateway.graphql(home.viewer, record, { input }), 'forbidden');
    expectFailure(
      await gateway.graphql(home.editor, record, { input: { ...input, promptId: ' ' } }),
      'invalid_request',
      /promptId/,
    );
  });

  test('of another workspace is not found', async () => {
    const id = await keep('p', 'theirs', other);
    expectFailure(await gateway.graphql(home.owner, `{ copy(id: "${id}") { id } }`), 'not_found');
    expectFailure(await gateway.graphql(home.owner, updateCopy, { input: { id, content: 'x' } }), 'not_found');
    expectFailure(await gateway.graphql(home.owner, deleteCopy, { input: { id } }), 'not_found');
    expect(await gateway.data(home.owner, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  });
});

const fields = 'id name stats { words paragraphs sentences characters } link kbs content';
const create = `mutation ($input: CreateDocumentInput!) { createDocument(input: $input) { document { ${fields} } } }`;
const update = `mutation ($input: UpdateDocumentInput!) { updateDocument(input: $input) { document { ${fields} } } }`;
const remove = 'mutation ($input: DeleteDocumentInput!) { deleteDocument(input: $input) { document { id deleted } } }';
const none = { words: 0, paragraphs: 0, sentences: 0, characters: 0 };

async function write(input: object, workspace = home): Promise<string> {
  return (await gateway.data(workspace.editor, create, { input })).createDocument.document.id;
}

describe('a document', () => {
  test('is empty where nothing is given', async () => {
    const { createDocument } = await gateway.data(home.editor, create, { input: { name: 'Draft' } });
    const id = expect.stringMatching(/^doc_/);
    expect(createDocument.document).toEqual({ id, name: 'Draft', stats: none, link: '', kbs: [], content: '' });
  });

  test('keeps what an update leaves out, each count by itself', async () => {
    const id = await write({ name: 'Plan', kbs: ['bas_1', { id: 2 }], stats: { ...none, words: 3, characters: 20 } });
    const { updateDocument } = await gateway.data(home.editor, update, {
      input: { id, content: 'Text', stats: { words: 4 } },
    });
    expect(updateDocument.document).toEqual({
      id,
      name: 'Plan',
      stats: { ...none, words: 4, characters: 20 },
      link: '',
      kbs: ['bas_1', { id: 2 }],
      content: 'Text',
    });
    const emptied = await gateway.data(home.editor, update, { input: { id, name: '', kbs: [] } });
    expect(emptied.updateDocument.document).toMatchObject({ name: '', kbs: [], content: 'Text' });
  });

  test.each([
    [{ stats: { words: 'many' } }, /words/],
    [{ name: 'x'.repeat(501) }, /name: must have at most 500/],
    [{ name: null }, /name/],
  ])('is refused with %j', async (input, message) => {
    expectFailure(await gateway.graphql(home.editor, create, { input }), 'invalid_request', message);
  });

  test('holds any numbers as its stats, and answers them as they are', async () => {
    const id = await write({ name: 'Counted' });
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const counts = fc.record({ words: number, paragraphs: number, sentences: number, characters: number });
    await fc.assert(
      fc.asyncProperty(counts, async (given) => {
        const stats = JSON.parse(JSON.stringify(given)); // -0 is 0 in JSON
        const rest = await gateway.rest(home.editor, 'PUT', `/rest/documents/${id}`, { stats });
        expect([rest.status, rest.body.stats]).toEqual([200, stats]);
        const { updateDocument } = await gateway.data(home.editor, update, { input: { id, stats } });
        expect(updateDocument.document.stats).toEqual(stats);
        const read = `{ document(id: "${id}") { stats { words paragraphs sentences characters } } }`;
        expect((await gateway.data(home.viewer, read)).document.stats).toEqual(stats);
      }),
      {
        ...options(casesOf(20), 'stats'),
        examples: [[{ words: 1.5, paragraphs: -1, sentences: 2 ** 53, characters: 5e-324 }]],
      },
    );
  });

  test.each(['1e400', '-1e400', 'null', '"1"', 'NaN'])('has no stats such as %s', async (number) => {
    const id = await write({ name: 'Counted' });
    const body = `{"stats": {"words": ${number}}}`;
    const { status, body: refused } = await gateway.rest(home.editor, 'PUT', `/rest/documents/${id}`, body);
    expect([status, refused.code]).toEqual([400, 'invalid_request']);
  });

  test('is sorted by name', async () => {
    const workspace = await makeWorkspace(gateway);
    for (const name of ['b', 'c', 'a']) await write({ name }, workspace);
    const { documents } = await gateway.data(
      workspace.viewer,
      '{ documents(orderBy: { field: name, direction: asc }) { totalCount nodes { name } } }',
    );
    expect(documents).toEqual({ totalCount: 3, nodes: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  });

  test('is not changed by a viewer, and goes once', async () => {
    const id = await write({ name: 'x' });
    expectFailure(await gateway.graphql(home.viewer, update, { input: { id, name: 'y' } }), 'forbidden');
    expectFailure(await gateway.graphql(home.viewer, remove, { input: { id } }), 'forbidden');
    expect(await gateway.data(home.editor, remove, { input: { id } })).toEqual({
      deleteDocument: { document: { id, deleted: true } },
    });
    expectFailure(await gateway.graphql(home.editor, remove, { input: { id } }), 'not_found', /Document not found/);
  });

  test('of another workspace is not found', async () => {
    const id = await write({ name: 'theirs' }, other);
    expectFailure(await gateway.graphql(home.owner, `{ document(id: "${id}") { id } }`), 'not_found');
    expectFailure(await gateway.graphql(home.owner, update, { input: { id, name: 'x' } }), 'not_found');
    expectFailure(await gateway.graphql(home.owner, remove, { input: { id } }), 'not_found');
    expect(await gateway.data(home.owner, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  });
});

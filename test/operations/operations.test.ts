import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../support/gateway/app.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const fields = 'id name document documentHash description variables chart cost broken';
const create = `mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { ${fields} } } }`;
const update = `mutation ($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { ${fields} } } }`;
const remove = 'mutation ($input: DeleteOperationInput!) { deleteOperation(input: $input) { operation { id } } }';
const list = `{ operations { nodes { ${fields} } } }`;

const document = 'query ($first: Int!) { leads(first: $first) { nodes { name } } }';
let count = 0;
const save = async (input: object = {}, viewer = home.editor) => {
  const given = { name: `saved-${++count}`, document, ...input };
  return (await gateway.data(viewer, create, { input: given })).createOperation.operation;
};

describe('a saved operation', () => {
  test('has its document, its hash and the cost of what it would do', async () => {
    const saved = await save({ variables: { first: 5 }, description: 'Leads', chart: { kind: 'bar' } });
    expect(saved).toMatchObject({
      document,
      documentHash: createHash('sha256').update(document).digest('hex'),
      description: 'Leads',
      variables: { first: 5 },
      chart: { kind: 'bar' },
      broken: null,
    });
    const priced = 'query ($operation: OperationInput!) { operationCost(operation: $operation) { cost } }';
    const operation = { query: document, variables: { first: 5 } };
    const { operationCost } = await gateway.data(home.editor, priced, { operation });
    expect(saved.cost).toBe(operationCost.cost);
    expect((await save()).cost).toBeNull();
  });

  test.each([
    ['that is not GraphQL', '{ leads {', /Syntax/],
    ['that the schema does not know', '{ ledas { totalCount } }', /ledas/],
    ['with two operations', 'query a { agents { totalCount } } query b { agents { totalCount } }', /exactly one/],
    ['that subscribes', 'subscription { resumeChat(agentId: "a", chat: "b") { __typename } }', /query or a mutation/],
    [
      'that would be refused whatever the budget',
      `{ ${'agents { nodes { workspace { '.repeat(9)} id ${'} } }'.repeat(9)} }`,
      /deep|levels/i,
    ],
  ])('is not made of a document %s', async (_, broken, message) => {
    const input = { name: `broken-${++count}`, document: broken };
    expectFailure(await gateway.graphql(home.editor, create, { input }), 'invalid_request', message);
  });

  test.each(['Leads', '1st', 'a_b', '', 'ä'])('is not named %j', async (name) => {
    expectFailure(await gateway.graphql(home.editor, create, { input: { name, document } }), 'invalid_request', /name/);
  });

  test('does not take values for variables that it has not, or of another type', async () => {
    for (const variables of [{ last: 1 }, { first: 'many' }]) {
      const input = { name: `values-${++count}`, document, variables };
      expectFailure(await gateway.graphql(home.editor, create, { input }), 'invalid_request', /variables/);
    }
  });

  test('has a name that is its own in the workspace', async () => {
    const { name } = await save();
    expectFailure(await gateway.graphql(home.editor, create, { input: { name, document } }), 'conflict', /name/);
    await save({ name }, other.editor);
  });

  test('keeps what an update omits, is found by name, and is gone once deleted', async () => {
    const { id, name } = await save({ variables: { first: 2 } });
    const changed = 'query ($first: Int!) { agents(first: $first) { totalCount } }';
    const { updateOperation } = await gateway.data(home.editor, update, { input: { id, document: changed } });
    expect(updateOperation.operation).toMatchObject({ id, name, document: changed, variables: { first: 2 } });
    const byName = `{ operations(filter: { names: ["${name}"] }) { nodes { id document } } }`;
    expect((await gateway.data(home.viewer, byName)).operations.nodes).toEqual([{ id, document: changed }]);
    await gateway.data(home.editor, remove, { input: { id } });
    expect((await gateway.data(home.viewer, byName)).operations.nodes).toEqual([]);
    expectFailure(await gateway.graphql(home.editor, update, { input: { id, document } }), 'not_found');
  });

  test('that the schema no longer accepts is listed as broken, with the reason', async () => {
    const { id } = await save();
    await gateway.services.database.savedOperation.updateMany({
      where: { id },
      data: { document: '{ formerly { id } then: agents { later } }' },
    });
    const { operations } = await gateway.data(home.viewer, list);
    const found = operations.nodes.filter(({ broken }: { broken: string | null }) => broken);
    expect(found).toMatchObject([{ id, broken: expect.stringMatching(/"formerly" on type "Query".*"later" on type/) }]);
  });
});

import { type GraphQLNamedType, isInputType, Kind, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorsOfVariables } from '../../src/graphql/documents/known-names.ts';
import { validateDocument } from '../../src/graphql/documents/validate.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { schema } from '../support/graphql/shape.ts';

const gateway = useGateway();
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

const long = 'x'.repeat(10_000);
/** Of a message, with what says where it is. */
const most = 700;
const values = { text: long, object: { x: long }, list: [long], key: { [long]: 1 }, nested: [{ a: [{ b: long }] }] };
const literals = [`"${long}"`, `{ x: "${long}" }`, `["${long}"]`, `{ ${long}: 1 }`, `[{ a: [{ b: ${long} }] }]`, long];
const inputTypes = Object.values(schema.getTypeMap()).filter(
  (type) => isInputType(type) && !type.name.startsWith('__'),
) as GraphQLNamedType[];

test('no error of a value repeats all of it, whatever its type, as a variable and in a document', () => {
  let count = 0;
  const tell = (messages: readonly { message: string }[], type: string) => {
    count += messages.length;
    for (const { message } of messages) expect(message.length, `${type}: ${message.slice(0, 90)}`).toBeLessThan(most);
  };
  for (const { name } of inputTypes) {
    const [operation] = parse(`query ($v: ${name}) { __typename }`).definitions;
    const definitions = operation?.kind === Kind.OPERATION_DEFINITION ? (operation.variableDefinitions ?? []) : [];
    for (const value of Object.values(values))
      tell(errorsOfVariables(schema, definitions, { v: value }, { maxErrors: 9 }), name);
    for (const literal of literals)
      tell(validateDocument(schema, parse(`query ($v: ${name} = ${literal}) { __typename }`)), name);
  }
  expect(count).toBeGreaterThan(4 * inputTypes.length);
});

describe('nor does what is told', () => {
  const save = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
  const board = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
  const byId = 'query ($id: ID) { agents(filter: { ids: [$id] }) { totalCount } }';
  const given = { id: { of: long } };

  test.each<[string, string, object]>([
    ['of a variable', byId, given],
    ['of a literal', `{ agent(id: { of: "${long}" }) { id } }`, {}],
    ['of a text that is no document', `{ agents "${long}" }`, {}],
    [
      'of an operation that is priced',
      'query ($q: String!, $v: JSON) { operationCost(query: $q, variables: $v) { cost } }',
      { q: byId, v: given },
    ],
    [
      'of one that is priced and no document',
      'query ($q: String!) { operationCost(query: $q) { cost } }',
      { q: `{ a "${long}" }` },
    ],
    ['of one that is saved', save, { input: { name: 'saved', document: byId, variables: given } }],
  ])('%s', async (_, document, variables) => {
    const [error] = (await gateway.graphql(home.owner, document, variables)).errors ?? [];
    expect(error?.extensions.code).toBe('invalid_request');
    expect(JSON.stringify(error).length).toBeLessThan(3 * most);
  });

  test('of a tile, when it is saved and checked', async () => {
    const document = 'query ($id: String) { agents(search: $id) { totalCount } }';
    await gateway.data(home.owner, save, { input: { name: 'found', document } });
    const create = (name: string, id: unknown) =>
      gateway.graphql(home.owner, board, {
        input: { name, title: name, tiles: [{ operation: 'found', variables: { id }, alert: { above: 1 } }] },
      });
    const [error] = (await create('refused', { of: long })).errors ?? [];
    expect(error?.extensions.code).toBe('invalid_request');
    expect(JSON.stringify(error).length).toBeLessThan(3 * most);
    expect((await create('wall', long.slice(0, 1_900))).errors).toBeUndefined();
    const where = { workspaceId: home.id };
    const other = 'query ($id: Int) { agents(first: $id) { totalCount } }';
    await gateway.database.savedOperation.updateMany({ where, data: { document: other } });
    await gateway.app.checkAlerts();
    const { pausedReason } = await gateway.database.alert.findFirstOrThrow({ where });
    expect(pausedReason).toMatch(/^The tile cannot be drawn: .*Int cannot represent .*x…$/);
    expect(pausedReason?.length).toBeLessThan(most);
  });
});

import { getNamedType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { contentsOf, idsOf } from '../support/database/rows-of.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { ask } from '../support/gateway/ask.ts';
import {
  connections,
  documentOf,
  type Field,
  type IdPlace,
  idPlaces,
  nodeTypes,
  rootFields,
  selectionOf,
  valueAt,
  withValueAt,
} from '../support/graphql/shape.ts';
import { oneOfEach } from '../support/random/cases.ts';
import { call, idPlacesOf, noRowOfRest, operations, requests } from '../support/rest/operations.ts';
import { idFor, idOfType, inputs, noRow, queryArguments } from '../support/world/inputs.ts';
import { makeWorld, type World, type WorldIds } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
let other: World;
let held: Record<string, string>;
let theirs: string[];
beforeAll(async () => {
  home = await makeWorld(gateway);
  other = await makeWorld(gateway);
  held = await contentsOf(gateway, other.id);
  theirs = (await idsOf(gateway, other.id)).filter((id) => id !== 'portal');
});

/** Expects answers without data of the other workspace, which must be unchanged. */
async function expectUntouched(...answers: unknown[]): Promise<void> {
  const text = JSON.stringify(answers);
  expect([...theirs, other.mark].filter((mark) => text.includes(mark))).toEqual([]);
  expect(await contentsOf(gateway, other.id)).toEqual(held);
}

/** Replaces our id with the other workspace's. Fails for a place that the fixtures do not fill. */
function swap(mine: World, variables: (ids: WorldIds) => object, { path, name }: IdPlace): object {
  const [own, alien] = [mine, other].map(({ ids }) => valueAt(variables(ids), path));
  if (typeof own !== 'string' || typeof alien !== 'string') {
    throw new Error(
      `${name} takes an id and has no fixture: add one for ${path.join('.')} to test/support/world/inputs.ts`,
    );
  }
  if (own === alien) throw new Error(`${name}: the fixture of ${path.join('.')} names no row of its workspace`);
  return withValueAt(variables(mine.ids), path, alien);
}

/** The variables of a mutation, or of a subscription that takes only ids. */
function variablesOf(name: string, field: Field): (ids: WorldIds) => object {
  const input = inputs[name];
  if (input) return (ids) => ({ input: input(ids) });
  if (queryArguments[name]) return queryArguments[name];
  if (field.args.some((argument) => argument.name === 'input'))
    throw new Error(`${name} has no fixture: add one to test/support/world/inputs.ts`);
  const named = field.args.filter(({ type }) => getNamedType(type).name === 'ID');
  return (ids) => Object.fromEntries(named.map((argument) => [argument.name, idFor(ids, argument.name)]));
}

const placesOf = (field: Field) => idPlaces(field).filter(({ name }) => !(name in noRow));

/** Places whose expected answer is not `not_found`. */
const expected: Record<string, string> = {
  'AuthenticateAppInput.userId': 'forbidden',
  'AuthenticateAppInput.tenantId': 'forbidden',
};

describe('an id of another workspace is not found, and its row not changed, by', () => {
  const changes = (['Mutation', 'Subscription'] as const).flatMap((root) =>
    rootFields(root).map((field) => [field.name, root, field] as const),
  );
  test.each(changes)('%s', async (name, root, field) => {
    const variables = variablesOf(name, field);
    const document = documentOf(root, field);
    const mine = await makeWorld(gateway);
    const before = await contentsOf(gateway, mine.id);
    const answers: unknown[] = [];
    for (const place of placesOf(field)) {
      const answer = await ask(gateway, mine.owner, document, swap(mine, variables, place));
      const code = answer.errors?.[0]?.extensions.code ?? 'no refusal';
      expect([place.name, code]).toEqual([place.name, expected[place.name] ?? 'not_found']);
      answers.push(answer);
    }
    if (answers.length > 0) {
      await expectUntouched(answers);
      expect(await contentsOf(gateway, mine.id)).toEqual(before);
    }
    // With its own ids the same request succeeds, so only the id was refused.
    expect((await ask(gateway, mine.owner, document, variables(mine.ids))).errors).toBeUndefined();
    await expectUntouched();
  });

  const lists = new Set(connections().map(({ field }) => field));
  const single = rootFields('Query').filter(
    (field) => !lists.has(field) && !['node', 'nodes'].includes(field.name) && placesOf(field).length > 0,
  );
  test.each(single.map((field) => [field.name, field] as const))('the query %s', async (name, field) => {
    const type = getNamedType(field.type).name;
    const variables = (ids: WorldIds) =>
      queryArguments[name]?.(ids) ??
      Object.fromEntries(
        field.args.map((argument) => [
          argument.name,
          argument.name === 'id' ? idOfType(ids, type) : idFor(ids, argument.name),
        ]),
      );
    for (const place of placesOf(field)) {
      const answer = await gateway.graphql(home.owner, documentOf('Query', field), swap(home, variables, place));
      if (name === 'role') expect(answer).toEqual({ data: { role: null } });
      else expectFailure(answer, 'not_found');
      await expectUntouched(answer);
    }
    expect((await gateway.data(home.owner, documentOf('Query', field), variables(home.ids)))[name]).not.toBeNull();
  });

  test.each(nodeTypes().map(({ name }) => name))('node and nodes, for a %s', async (type) => {
    const [own, alien] = [home, other].map(({ ids }) => idOfType(ids, type));
    if (!own || !alien)
      throw new Error(`${type} is a node and has no fixture: add its row to test/support/world/world.ts`);
    const answer = await gateway.graphql(
      home.owner,
      'query ($own: ID!, $alien: ID!) { node(id: $alien) { id } nodes(ids: [$own, $alien]) { id __typename } }',
      { own, alien },
    );
    expect(answer).toEqual({ data: { node: null, nodes: [{ id: own, __typename: type }, null] } });
    await expectUntouched(answer);
  });
});

/** A list with its arguments, inside its parent row. */
function listOf(
  { owner, field }: { owner: string; field: Field },
  ids: WorldIds,
  args: string,
  selection: string,
): string {
  const list = `list: ${field.name}${args}${selection}`;
  if (owner === 'Query') return `{ ${list} }`;
  const id = idOfType(ids, owner);
  if (!id) throw new Error(`${owner} has lists and no fixture: add its row to test/support/world/world.ts`);
  return `{ node(id: ${JSON.stringify(id)}) { ... on ${owner} { ${list} } } }`;
}
const rowsIn = ({ list, node }: { list?: Rows; node?: { list: Rows } }): Rows => (list ?? node?.list) as Rows;
type Rows = { totalCount: number; nodes: Record<string, unknown>[] };

/** Places where REST does not answer 404 `not_found`. */
const expectedOfRest: Record<string, unknown> = {
  'authenticateApp userId': 'forbidden',
  'authenticateApp tenantId': 'forbidden',
  'readRole membershipId': null,
  'readRole appId': null,
};

describe('an id of another workspace is not found, and its row not changed, by REST', () => {
  const called = operations.map((operation) => [operation.operationId, operation] as const);
  test.each(called)('%s', async (id, operation) => {
    const request = requests[id];
    if (!request) throw new Error(`${id} has no fixture: add one to test/support/rest/operations.ts`);
    const mine = operation.method === 'GET' ? home : await makeWorld(gateway);
    const before = await contentsOf(gateway, mine.id);
    const answers: unknown[] = [];
    for (const place of idPlacesOf(operation).filter(({ name }) => !(name in noRowOfRest))) {
      const { status, body } = await call(gateway, mine.owner, operation, swap(mine, request, place));
      const answer = status === 200 ? body : body.code;
      expect([place.name, answer]).toEqual([
        place.name,
        place.name in expectedOfRest ? expectedOfRest[place.name] : 'not_found',
      ]);
      answers.push(body);
    }
    if (answers.length > 0) expect(await contentsOf(gateway, mine.id)).toEqual(before);
    const { status, body } = await call(gateway, mine.owner, operation, request(mine.ids));
    expect({ status, body }).toMatchObject({ status: 200 });
    await expectUntouched(answers, body);
  });
});

test('an app id of another workspace is free, and names the own app only', async () => {
  const mine = await makeWorld(gateway);
  const id = other.ids.appId;
  const document = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { name workspaceId } } }';
  const { createApp } = await gateway.data(mine.owner, document, { input: { id, name: 'Ours' } });
  expect(createApp.app).toEqual({ name: 'Ours', workspaceId: mine.id });
  expect((await gateway.data(mine.owner, `{ app(id: "${id}") { name } }`)).app).toEqual({ name: 'Ours' });
  expect(await contentsOf(gateway, other.id)).toEqual(held);
});

/** Whether a filter path goes through two relations, which is refused. */
const throughTwo = (path: IdPlace['path']) => path.filter((step) => typeof step === 'string').length > 3;

describe('a list shows no row of another workspace:', () => {
  test.each(connections().map((list) => [list.name, list] as const))('%s', async (_, list) => {
    const document = listOf(list, home.ids, '(first: 100)', ` { totalCount nodes${selectionOf(list.row, 1)} }`);
    const answer = await gateway.graphql(home.owner, document);
    expect(answer.errors).toBeUndefined();
    expect(rowsIn(answer.data).nodes.length).toBeGreaterThan(0);
    expect(rowsIn(answer.data).totalCount).toBe(rowsIn(answer.data).nodes.length);
    await expectUntouched(answer);
  });

  const filters = connections().flatMap((list) =>
    placesOf(list.field)
      .filter(({ path }) => !throughTwo(path))
      .map((place) => [`${list.name} by ${place.path.join('.')}`, list, place] as const),
  );
  test.each(oneOfEach(filters, ([, list]) => list.row.name))(
    '%s',
    async (_, list, { path: [argument, ...path], name }) => {
      const key = String(path.findLast((step) => typeof step === 'string')).replace(/Ids$/, 'Id');
      const [own, alien] = [home, other].map(({ ids }) =>
        key === 'ids' ? idOfType(ids, name.replace('Filter.ids', '')) : idFor(ids, key),
      );
      if (!own || !alien)
        throw new Error(`${name} filters by an id and has no fixture: add ${key} to test/support/world/world.ts`);
      const ask = async (id: string) => {
        const filter = path.reduceRight<string>(
          (inner, step) => (typeof step === 'number' ? `[${inner}]` : `{${step}: ${inner}}`),
          JSON.stringify(id),
        );
        const document = listOf(
          list,
          home.ids,
          `(${argument}: ${filter})`,
          ` { totalCount nodes${selectionOf(list.row, 0)} }`,
        );
        return gateway.graphql(home.owner, document);
      };
      const answer = await ask(alien);
      expect(answer.errors).toBeUndefined();
      expect(rowsIn(answer.data)).toEqual({ totalCount: 0, nodes: [] });
      await expectUntouched(answer);
      expect(rowsIn((await ask(own)).data).totalCount).toBeGreaterThan(0);
    },
  );
});

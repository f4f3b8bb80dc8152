import { type GraphQLInputObjectType, getNamedType, isInputObjectType, Kind, parse, typeFromAST, visit } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { nullsIn } from '../support/graphql/nulls.ts';
import { schema } from '../support/graphql/shape.ts';
import { type Operation, operations, requests } from '../support/rest/operations.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
});

/** A variable within a filter of a document, its place there, and its type. */
type Condition = { variable: string; place: string; type: ReturnType<typeof typeFromAST> };

function conditionsOf(document: string): Condition[] {
  const found: Condition[] = [];
  const ast = parse(document);
  const [operation] = ast.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  visit(ast, {
    Argument: ({ name, value }) => {
      if (name.value !== 'filter') return;
      visit(value, {
        Variable: ({ name: variable }, _key, parent, _path, ancestors) => {
          const keys = [...ancestors, parent].flatMap((one) =>
            one && 'kind' in one && one.kind === Kind.OBJECT_FIELD ? one.name.value : [],
          );
          const definition = operation?.variableDefinitions?.find((one) => one.variable.name.value === variable.value);
          if (!definition) throw new Error(`$${variable.value} has no type.`);
          const type = typeFromAST(schema, definition.type as never);
          found.push({ variable: variable.value, place: ['filter', ...keys].join('.'), type });
        },
      });
    },
  });
  return found;
}

const conditions = operations.flatMap((operation) =>
  conditionsOf(operation['x-graphql-document']).map((one) => ({ operation, ...one, id: operation.operationId })),
);

/** The operation that a REST request runs, as text and variables. */
async function translated(operation: Operation, query: Record<string, string> = {}) {
  const { path: given = {}, query: needed, body } = requests[operation.operationId]?.(world.ids) ?? {};
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? ''));
  const url = `${path}?${new URLSearchParams({ ...needed, ...query })}`;
  const headers = body ? { 'content-type': 'application/json' } : {};
  const request = { method: operation.method, url, headers, body: body ? JSON.stringify(body) : '' };
  return gateway.rest(world.owner, 'POST', '/graphiql/rest/operation', request);
}

test('there are documents of REST with conditions, also ones that may be left out', () => {
  expect(conditions.map(({ id, place }) => [id, place])).toEqual(
    expect.arrayContaining([['listConversations', 'filter.createdAt']]),
  );
});

test.each(conditions)('the document of $id, run with null for $place, is refused', async ({ operation, ...one }) => {
  const { body } = await translated(operation);
  const inner = getNamedType(one.type as GraphQLInputObjectType);
  const nulls = isInputObjectType(inner) ? nullsIn(inner).map(({ path, filter }) => [`.${path}`, filter] as const) : [];
  for (const [path, value] of [['', null] as const, ...nulls]) {
    const variables = { ...body.variables, [one.variable]: value };
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query: body.query, variables });
    expect(compiled.body).toBe(resolvers.body);
    const [error] = JSON.parse(compiled.body).errors ?? [];
    expect(error?.extensions.code).toBe('invalid_request');
    const isRequired = String(one.type).endsWith('!') && value === null;
    expect(error?.message).toMatch(
      isRequired ? `${one.variable}: must not be null` : `${one.place}${path}: null is not a condition. Leave it out`,
    );
  }
});

test('no parameter of an address becomes a condition that is null', async () => {
  const asked = conditions.flatMap(({ operation }) =>
    (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => ({ operation, name })),
  );
  expect(asked.length).toBeGreaterThan(3);
  for (const { operation, name } of asked) {
    for (const value of ['', 'null', 'undefined', '..', '../..']) {
      const { status, body } = await translated(operation, { [name]: value });
      expect([200, 400]).toContain(status);
      const { variables = {} } = body;
      for (const { variable } of conditions.filter((one) => one.operation === operation))
        expect(variables[variable], `${name}=${value}`).not.toBeNull();
    }
  }
});

import fc from 'fast-check';
import {
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { getDatamodel, schema } from '../../schema/index.ts';
import { maxValues } from '../../src/lists/filter.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { casesOf, oneOfEach } from '../support/random/cases.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
let world: World;
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  world = await makeWorld(gateway);
});

const names = ['then', 'toJSON', 'constructor', 'hasOwnProperty', 'valueOf', 'catch', 'length', 'plain'];
const then = names[0] as string;
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 1, 0.5, 'text', ''),
    fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 3 }),
  ),
}));
const object = fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 4 });

/** Every field of a table that is exposed as JSON, with the root connection that lists its rows. */
const connections = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || !type.name.endsWith('Connection')) return [];
  const node = getNamedType(type.getFields().nodes?.type as GraphQLOutputType) as GraphQLObjectType;
  return Object.values(node.getFields()).flatMap((one) => {
    const column = one.extensions.pothosExposedField as string | undefined;
    if (!column || !String(getNamedType(one.type)).startsWith('JSON')) return [];
    return {
      root: field.name,
      model: node.name,
      name: one.name,
      column,
      isList: isListType(getNullableType(one.type)),
    };
  });
});
type Model = { fields: { name: string; type: string; isList: boolean }[] };
const { models } = (getDatamodel() as unknown as { datamodel: { models: Record<string, Model> } }).datamodel;
const columns = connections.filter(({ model, column }) =>
  models[model]?.fields.some(({ name, type, isList }) => name === column && type === 'Json' && !isList),
);

/** The methods of every model's client that the test needs. */
type Tables = Record<
  string,
  { findFirst(query: object): Promise<{ id: string } | null>; updateMany(query: object): Promise<unknown> }
>;

describe('JSON with keys that mean something to JavaScript', () => {
  test('stands in columns that the schema exposes', () => {
    expect(columns.map(({ model, column }) => `${model}.${column}`)).toEqual(
      expect.arrayContaining(['Lead.custom', 'Lead.utm']),
    );
  });

  test.each(columns)(
    'of $model.$column is answered as it is kept, in every way',
    async ({ root, model, name, column, isList }) => {
      const { [model.charAt(0).toLowerCase() + model.slice(1)]: table } = gateway.database as unknown as Tables;
      const row = await table?.findFirst({ where: { workspaceId: world.owner.workspaceId } });
      if (!table || !row) throw new Error(`The world has no ${model}: make one in its rows.`);
      const query = `query ($all: Boolean!) { ${root}(first: 100) { nodes { id then: id ${name} again: ${name} @include(if: $all) } } }`;
      const read = (text: string) => {
        const answer = JSON.parse(text);
        expect(answer.errors).toBeUndefined();
        return answer.data[root].nodes.find((node: { id: string }) => node.id === row.id);
      };
      await fc.assert(
        fc.asyncProperty(isList ? fc.array(object, { maxLength: 2 }) : object, async (value) => {
          await table.updateMany({ where: { id: row.id }, data: { [column]: value } });
          const variables = { all: true };
          const { compiled, resolvers } = await bothWays.ask(world.owner, { query, variables });
          expect(compiled.body).toBe(resolvers.body);
          expect(read(resolvers.body)).toEqual({
            [then]: row.id,
            id: row.id,
            [name]: value,
            again: value,
          });
          const events = await bothWays.ask(world.owner, { query, variables }, { accept: 'text/event-stream' });
          expect(read(/^data: (.*)$/m.exec(events.resolvers.body)?.[1] ?? '')[name]).toEqual(value);
          const parts = `{ ${root}(first: 100) { nodes { id ... @defer { ${name} } } } }`;
          const later = await bothWays.ask(world.owner, { query: parts }, { accept: 'multipart/mixed' });
          expect(later.resolvers.body).not.toContain('internal_error');
        }),
        { numRuns: casesOf(8) },
      );
    },
  );

  test('goes in by either surface and comes out by both', async () => {
    const mutation = `mutation ($input: CreateLeadInput!) { then: createLead(input: $input) { lead { id then: name custom utm } } }`;
    await fc.assert(
      fc.asyncProperty(object, object, async (custom, utm) => {
        const input = { name: 'Ana', custom, utm };
        for (const by of ['compiled', 'resolvers'] as const) {
          const { body } = await bothWays.askOne(by, world.owner, { query: mutation, variables: { input } });
          const { data, errors } = JSON.parse(body);
          expect(errors).toBeUndefined();
          expect(data.then.lead).toMatchObject({ [then]: 'Ana', custom, utm });
          const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) };
          const rest = await bothWays.send(by, world.owner, '/rest/leads', init);
          expect([rest.status, JSON.parse(rest.body)]).toMatchObject([200, { custom, utm }]);
        }
      }),
      { numRuns: casesOf(10) },
    );
  });

  test.each(['{__proto__: {a: 1}}', '{a: [{b: {__proto__: 1}}]}'])('but not __proto__: %s', async (literal) => {
    const query = `mutation { createLead(input: { name: "Ana", custom: ${literal} }) { lead { id } } }`;
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(compiled).toEqual(resolvers);
    expect(JSON.parse(compiled.body).errors[0]).toMatchObject({
      message: expect.stringContaining('__proto__, which is not allowed'),
      extensions: { code: 'invalid_request', issues: [{}] },
    });
  });
});

describe('JSON in an operation nests as deep as a body may, and no deeper', () => {
  const query =
    'mutation ($custom: JSONObject) { createLead(input: { name: "Ana", custom: $custom }) { lead { id } } }';
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const literal = (levels: number) =>
    query.replace(/\(.*?\)/, '').replace('$custom', nested(levels).replaceAll('"', ''));
  const asked = (custom: string) => `{"query": ${JSON.stringify(query)}, "variables": {"custom": ${custom}}}`;
  const list = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`;

  test.each<[string, string | object, string]>([
    ['in variables', asked(nested(101)), 'custom'],
    ['in variables, far', asked(nested(40_000)), 'custom'],
    ['in lists of variables', asked(list(100)), 'custom'],
    ['in variables that nothing asks for', asked(nested(1)).replace('{"custom"', `{"x": ${list(100)}, "custom"`), 'x'],
    ['in the text', { query: literal(101) }, 'Nests'],
    ['in the text, far', { query: literal(900) }, 'Nests'],
  ])('%s', async (_, body, subject) => {
    const { compiled, resolvers } = await bothWays.ask(world.owner, body);
    expect({ ...compiled, served: false }).toEqual(resolvers);
    const { message, extensions } = JSON.parse(compiled.body).errors[0];
    expect(message).toMatch(/nests deeper than 100 levels/i);
    expect(message).toMatch(new RegExp(`^${subject}`));
    expect(extensions.code).toBe('invalid_request');
  });

  test.each<[string, string | object]>([
    ['in variables', asked(nested(100))],
    ['in the text', { query: literal(100) }],
  ])('%s, 100 levels pass', async (_, body) => {
    const { compiled, resolvers } = await bothWays.ask(world.owner, body);
    for (const answer of [compiled, resolvers]) expect(JSON.parse(answer.body).errors).toBeUndefined();
  });
});

describe('a list in a filter', () => {
  const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
    const filter = field.args.find(({ name }) => name === 'filter');
    const type = filter && getNamedType(filter.type);
    if (
      !type ||
      !isInputObjectType(type) ||
      field.args.some(({ name, type: given }) => name !== 'filter' && String(given).endsWith('!'))
    )
      return [];
    return Object.values((type as GraphQLInputObjectType).getFields())
      .filter((one) => isListType(getNullableType(one.type)) && isLeafType(getNamedType(one.type)))
      .map((one) => ({ root: field.name, filter: type.name, name: one.name, item: getNamedType(one.type) }));
  });

  test('is looked for in every filter of the schema', () => expect(lists.length).toBeGreaterThan(8));

  test.each(oneOfEach(lists, ({ item }) => (isEnumType(item) ? 'enum' : item.name)))(
    'filter.$name of $root has 1,000 values at most',
    async ({ root, filter, name, item }) => {
      const value = isEnumType(item) ? item.getValues()[0]?.name : 'x';
      const query = `query ($filter: ${filter}) { ${root}(filter: $filter) { totalCount } }`;
      const ask = (count: number) =>
        bothWays.ask(world.owner, { query, variables: { filter: { [name]: Array(count).fill(value) } } });
      const most = await ask(maxValues);
      expect(JSON.parse(most.resolvers.body).errors).toBeUndefined();
      expect(most.compiled.body).toBe(most.resolvers.body);
      const more = await ask(maxValues + 1);
      const message = `filter.${name}: must have at most 1,000 values, got 1,001`;
      expect(JSON.parse(more.resolvers.body).errors[0]).toMatchObject({
        message,
        extensions: { code: 'invalid_request', issues: [{ message }] },
      });
      expect({ ...more.compiled, served: false }).toEqual(more.resolvers);
    },
  );
});

import { type GraphQLObjectType, getNamedType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { type List, lists } from '../support/graphql/lists.ts';
import { filterOf, nullsIn } from '../support/graphql/nulls.ts';
import { oneOfEach, someOf } from '../support/random/cases.ts';
import { idOfType } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
});

const cases = lists.flatMap((list) => {
  const type = filterOf(list);
  return type ? nullsIn(type).map((one) => ({ ...one, list, name: `${list.name} ${one.path}` })) : [];
});

async function ask(list: List, filter: object | null | undefined, by: 'compiled' | 'resolvers') {
  const owner = list.owner === 'Query' ? undefined : idOfType(world.ids, list.owner);
  const { query, variables } = { query: list.document, variables: { parent: owner, filter } };
  const { body } = await bothWays.askOne(by, world.owner, { query, variables });
  return JSON.parse(body) as { data: unknown; errors?: { message: string; extensions: { code: string } }[] };
}

describe('null is not a condition, and the error names its place:', () => {
  const tried = oneOfEach(cases, ({ place }) => place);
  test.each(someOf(tried, 90))('$name', async ({ list, path, filter }) => {
    for (const by of ['compiled', 'resolvers'] as const) {
      const { errors } = await ask(list, filter, by);
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.extensions.code).toBe('invalid_request');
      expect(errors?.[0]?.message).toMatch(`filter.${path}: null is not a condition. Leave it out`);
    }
  });
});

const byAgent = `query ($agentId: ID, $lead: ID, $created: DateTimeRange) {
  conversations(filter: { agentId: $agentId, leadId: $lead, createdAt: $created }) { totalCount } }`;
const found = async (variables: object, by: 'compiled' | 'resolvers') =>
  JSON.parse((await bothWays.askOne(by, world.owner, { query: byAgent, variables })).body);

test.each(['compiled', 'resolvers'] as const)(
  'a variable without a value is no condition, one that is null is refused (%s)',
  async (by) => {
    const { totalCount } = (await gateway.data(world.owner, '{ conversations { totalCount } }')).conversations;
    expect(await found({}, by)).toEqual({ data: { conversations: { totalCount } } });
    const refused = await found({ lead: null }, by);
    expect(refused.errors[0].message).toBe(
      'filter.leadId: null is not a condition. Leave it out, or find rows without a value by hasLead: false.',
    );
    expect((await found({ agentId: null }, by)).errors[0].message).toBe(
      'filter.agentId: null is not a condition. Leave it out.',
    );
  },
);

test.each(['compiled', 'resolvers'] as const)('a filter that is null is none (%s)', async (by) => {
  const list = lists.find(({ name }) => name === 'Query.leads') as List;
  expect(await ask(list, null, by)).toEqual(await ask(list, undefined, by));
});

const grouped = lists.flatMap((list) => {
  const type = filterOf(list);
  const connection = getNamedType(list.field.type) as GraphQLObjectType;
  return type && list.owner === 'Query' && connection.getFields().groups ? [{ list, type, name: list.name }] : [];
});
const measures: [string, string][] = [
  ['a count', 'count(filter: $filter)'],
  ['the dividend of a ratio', 'ratio(of: count, ofFilter: $filter)'],
  ['the divisor of a ratio', 'ratio(of: count, toFilter: $filter)'],
];

describe('the filter of a measure refuses null, too:', () => {
  test.each(grouped)('$name', async ({ list, type }) => {
    for (const [what, measure] of measures) {
      const query = `query ($filter: ${type.name}) { ${list.field.name}(first: 0) { groups(first: 1) { nodes { ${measure} } } } }`;
      for (const one of nullsIn(type, 1)) {
        const { compiled, resolvers } = await bothWays.ask(world.owner, { query, variables: { filter: one.filter } });
        expect(compiled.body).toBe(resolvers.body);
        expect(JSON.parse(compiled.body).errors?.[0]?.message, `${what} of ${one.path}`).toMatch(
          `filter.${one.path}: null is not a condition. Leave it out`,
        );
      }
    }
  });

  test('and so do those by which groups are chosen and sorted', async () => {
    const ratio = '{ of: count, ofFilter: { agentId: null }';
    for (const given of [
      `having: { ratio: [${ratio}, gt: 0 }] }`,
      `orderBy: { field: ratio, ratio: ${ratio} }, direction: desc }`,
    ]) {
      const query = `{ leads(first: 0) { groups(${given}) { nodes { count } } } }`;
      const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
      expect(compiled.body).toBe(resolvers.body);
      expect(JSON.parse(compiled.body).errors?.[0]?.message).toMatch('ofFilter.agentId: null is not a condition');
    }
  });
});

import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { BothWays, difference } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { type List, lists } from '../support/graphql/lists.ts';
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

const typeOf = (list: List): GraphQLInputObjectType | undefined => {
  const type = getNamedType(list.field.args.find(({ name }) => name === 'filter')?.type);
  return isInputObjectType(type) ? type : undefined;
};

/** What a condition says something only together with. */
const beside: Record<string, object> = { whole: { last: '60d' }, weekStart: { last: '60d', whole: true } };

/** Values to try for an argument: for a filter type, each condition alone. */
function valuesOf(type: GraphQLInputType, name: string): unknown[] {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const [value] = valuesOf(inner.ofType, name.replace(/s$/, ''));
    return value === undefined ? [[]] : [[value], []];
  }
  if (isEnumType(inner)) return inner.getValues().map((value) => value.name);
  if (isInputObjectType(inner)) {
    const required = Object.values(inner.getFields()).filter(({ type: of }) => String(of).endsWith('!'));
    const given = Object.fromEntries(required.map((field) => [field.name, valuesOf(field.type, field.name)[0]]));
    const others = Object.values(inner.getFields()).filter((field) => !required.includes(field));
    const each = others.flatMap((field) =>
      valuesOf(field.type, field.name).map((value) => ({ ...given, ...beside[field.name], [field.name]: value })),
    );
    return [{ ...given }, ...each];
  }
  if (name === 'last') return ['60d'];
  if (name === 'timeZone') return ['America/Sao_Paulo'];
  switch (getNamedType(inner).name) {
    case 'Boolean':
      return [true, false];
    case 'Int':
      return [0];
    case 'Float':
      return [0.5];
    case 'DateTime':
      return ['2026-01-01T00:00:00Z', '2026-01-01'];
    case 'ID':
      return [(world.ids as Record<string, string>)[name] ?? Object.values(world.ids)[0]];
    default:
      return ['a'];
  }
}

/** Every condition of a filter alone; through a relation, those of the other list, one level deep. */
function conditionsOf(type: GraphQLInputObjectType | undefined, isRelated = false): Record<string, unknown>[] {
  const fields = Object.values(type?.getFields() ?? {});
  return fields
    .filter(({ name }) => !['and', 'or', 'not'].includes(name))
    .flatMap((field) => {
      const inner = getNamedType(field.type);
      const isRelation = isInputObjectType(inner) && inner.getFields().and !== undefined;
      if (isRelation && isRelated) return [];
      const values = isRelation ? [{}, ...conditionsOf(inner, true)] : valuesOf(field.type, field.name);
      return values.map((value) => ({ [field.name]: value }));
    });
}

/** The answer, after checking that compiled queries and resolvers agree. */
async function ask(list: List, fields: string, variables: Record<string, unknown>): Promise<Record<string, any>> {
  const [head, inner] =
    list.owner === 'Query'
      ? ['', fields]
      : ['$parent: ID!, ', `node(id: $parent) { ... on ${list.owner} { ${fields} } }`];
  const declared = Object.keys(variables).map((name) => `$${name}: ${typeOf(list)?.name}`);
  const parent = list.owner === 'Query' ? undefined : idOfType(world.ids, list.owner);
  const query = `query Asked(${head}${declared.join(', ')}) { ${inner} }`;
  const { compiled, resolvers } = await bothWays.ask(world.owner, { query, variables: { ...variables, parent } });
  expect(JSON.parse(resolvers.body).errors).toBeUndefined();
  if (compiled.body !== resolvers.body) throw new Error(difference(compiled.body, resolvers.body));
  expect(compiled.served, bothWays.said).toBe(true);
  const { data } = JSON.parse(resolvers.body);
  return list.owner === 'Query' ? data : data.node;
}

test('every list can be filtered, by and, or and not too', () => {
  for (const list of lists)
    expect(Object.keys(typeOf(list)?.getFields() ?? {})).toEqual(expect.arrayContaining(['and', 'or', 'not']));
});

const tried = oneOfEach(
  lists.map((list) => [list.name, list] as const),
  ([, { row }]) => row.name,
);

describe.each(tried)('%s', (_, list) => {
  test('each condition and its opposite split the list in two, both ways of answering', {
    timeout: 120_000,
  }, async () => {
    const conditions = someOf(conditionsOf(typeOf(list)), 8);
    expect(conditions.length).toBeGreaterThan(2);
    for (let at = 0; at < conditions.length; at += 8) {
      const some = conditions.slice(at, at + 8);
      const variables = Object.fromEntries(
        some.flatMap((filter, index) => [
          [`is${index}`, filter],
          [`not${index}`, { not: filter }],
        ]),
      );
      const fields = Object.keys(variables).map(
        (name) => `${name}: ${list.field.name}(first: 100, filter: $${name}) { totalCount nodes { ${list.key} } }`,
      );
      const { all, ...found } = await ask(
        list,
        `all: ${list.field.name}(first: 100) { nodes { ${list.key} } } ${fields.join(' ')}`,
        variables,
      );
      const keysOf = ({ nodes }: { nodes: Record<string, string>[] }) => nodes.map((node) => node[list.key]);
      some.forEach((filter, index) => {
        const [met, unmet] = [found[`is${index}`], found[`not${index}`]];
        expect([...keysOf(met), ...keysOf(unmet)].sort(), JSON.stringify(filter)).toEqual(keysOf(all).sort());
        expect([met.totalCount, unmet.totalCount]).toEqual([met.nodes.length, unmet.nodes.length]);
      });
    }
  });
});

import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../../support/gateway/app.ts';
import { type List, lists } from '../../support/graphql/lists.ts';
import { oneOfEach, someOf } from '../../support/random/cases.ts';
import { idOfType } from '../../support/world/inputs.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const gateway = useGateway();
let world: World;
beforeAll(async () => {
  world = await makeWorld(gateway);
});

type Field = GraphQLField<unknown, unknown>;
const fieldsOf = (field: { type: Field['type'] } | undefined): Record<string, Field> =>
  field ? (getNamedType(field.type) as GraphQLObjectType).getFields() : {};
const groupsOf = (list: List): Field | undefined => fieldsOf(list.field).groups;
/** Lists without groups: their rows have nothing to aggregate. */
const ungrouped = new Set([
  'RoleRecord',
  'App',
  'Key',
  'Webhook',
  'Passage',
  'EvaluationResult',
  'SavedOperation',
  'Dashboard',
]);

const grouped = lists.filter((list) => groupsOf(list));

test('every list has groups, but for a few', () => {
  expect(new Set(lists.filter((list) => !groupsOf(list)).map(({ row }) => row.name))).toEqual(ungrouped);
  expect(grouped.length).toBeGreaterThan(30);
});

/** All measures of a group. */
const measures = (list: List): string =>
  Object.values(fieldsOf(fieldsOf(groupsOf(list)).nodes))
    .filter(({ name }) => !['by', 'previous', 'cumulative', 'rows', 'count', 'ratio'].includes(name))
    .map((field) => `${field.name} { ${Object.keys(fieldsOf(field)).join(' ')} }`)
    .concat('count', 'ratio(of: count)')
    .join(' ');

/** Each key alone, as a selection in `by`. */
function keysOf(list: List): string[] {
  return Object.values(fieldsOf(fieldsOf(fieldsOf(groupsOf(list)).nodes).by)).flatMap((field) => {
    if (field.name === 'range') {
      const of = getNamedType(field.args.find(({ name }) => name === 'of')?.type) as GraphQLEnumType;
      return of.getValues().map(({ name }) => `range(of: ${name}, width: 2.5) { from to }`);
    }
    const has = (name: string) => field.args.some((argument) => argument.name === name);
    const args = has('every') ? '(every: day, timeZone: "America/New_York")' : has('key') ? '(key: "source")' : '';
    const type = getNamedType(field.type);
    return `${field.name}${args}${isLeafType(type) ? '' : type.name === 'TimeBucket' ? ' { from to partial }' : ' { __typename id }'}`;
  });
}

async function ask(list: List, groups: string, search = ''): Promise<{ totalCount: number; groups: any }> {
  const args = list.hasArgument('search') && search ? `(first: 0, search: "${search}")` : '(first: 0)';
  const field = `list: ${list.field.name}${args} { totalCount ${groups} }`;
  if (list.owner === 'Query') return (await gateway.data(world.owner, `{ ${field} }`)).list;
  const id = idOfType(world.ids, list.owner);
  return (await gateway.data(world.owner, `{ node(id: "${id}") { ... on ${list.owner} { ${field} } } }`)).node.list;
}

const sum = (groups: { count: number }[]) => groups.reduce((all, { count }) => all + count, 0);

const tried = oneOfEach(
  grouped.map((list) => [list.name, list] as const),
  ([, { row }]) => row.name,
);

describe.each(tried)('%s in groups', (_, list) => {
  test('by each key, with all measures: they add up to the list', async () => {
    const told = measures(list);
    const running = 'cumulative { count }';
    const fields = keysOf(list).map(
      (key, at) =>
        `g${at}: groups(first: 100) { nodes { by { ${key} } ${told} ${key.includes('every:') ? running : ''} rows(first: 1) { totalCount nodes { __typename } } } }`,
    );
    // One operation may not have all of them.
    for (let at = 0; at < fields.length; at += 10) {
      const { totalCount, ...keyed } = (await ask(list, fields.slice(at, at + 10).join(' '))) as Record<string, any>;
      expect(totalCount).toBeGreaterThan(0);
      for (const { nodes } of Object.values(keyed)) {
        expect(sum(nodes)).toBe(totalCount);
        for (const { count, rows } of nodes) expect([rows.totalCount, rows.nodes.length]).toEqual([count, 1]);
      }
    }
  });

  test('in each order, alike from page to page', async () => {
    const order = getNamedType(groupsOf(list)?.args.find(({ name }) => name === 'orderBy')?.type);
    const { field } = (order as GraphQLInputObjectType).getFields();
    const keys = keysOf(list);
    const orders = (getNamedType(field?.type) as GraphQLEnumType).getValues();
    for (const { name } of someOf(orders, 4)) {
      // A running total needs a time span.
      const key = name.startsWith('cumulative') ? keys.find((one) => one.includes('every:')) : keys[0];
      const ratio = name === 'ratio' ? ', ratio: {of: count}' : '';
      const page = (args: string) =>
        ask(
          list,
          `groups(${args}, orderBy: {field: ${name}, direction: desc${ratio}}) { nodes { by { ${key} } count } other { count } pageInfo { endCursor } }`,
        );
      const whole = await page('first: 100');
      const first = await page('first: 1');
      const rest = await page(`first: 100, after: "${first.groups.pageInfo.endCursor}"`);
      expect([...first.groups.nodes, ...rest.groups.nodes]).toEqual(whole.groups.nodes);
      expect(sum(first.groups.nodes) + first.groups.other.count).toBe(whole.totalCount);
    }
  });

  test('obeys the search of the list', async () => {
    const { totalCount, groups } = await ask(list, 'groups { nodes { count } }', 'a');
    expect(groups.nodes).toEqual([{ count: totalCount }]);
  });
});

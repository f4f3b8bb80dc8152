import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '../../src/core/permissions.ts';
import type { Role } from '../../src/core/viewer.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { isIdName, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
const table = permissions as Record<string, Role[]>;
const whole = { ...table };
let world: World;
const types = new Map<string, string>();

/** In this file, viewers have `analytics.read` and nothing else. */
beforeAll(async () => {
  world = await makeWorld(gateway);
  const columns = `SELECT concat(table_name, '.', column_name) AS name, data_type AS type FROM information_schema.columns`;
  const { rows } = await gateway.handle.pool.query<{ name: string; type: string }>(columns);
  for (const { name, type } of rows) types.set(name, type);
  for (const [name, roles] of Object.entries(whole)) {
    if (name !== 'analytics.read') table[name] = roles.filter((role) => role !== 'viewer');
  }
});
afterAll(() => Object.assign(table, whole));

type Field = GraphQLField<unknown, unknown>;
type List = { name: string; field: Field; rule: ListRule };
const lists: List[] = rootFields('Query').flatMap((field) =>
  field.extensions.parleyList ? [{ name: field.name, field, rule: field.extensions.parleyList as ListRule }] : [],
);
const open = lists.filter(({ rule }) => rule.analytics);
const grouped = open.filter(({ rule }) => rule.groups);
const each = (some: List[]) => some.map((list) => [list.name, list] as const);

const fieldsOf = ({ type }: { type: Field['type'] }) => (getNamedType(type) as GraphQLObjectType).getFields();
const ask = (document: string, variables?: object) => gateway.graphql(world.viewer, document, variables);

/** Texts that are not personal data: programs set models, events and prompt names. */
const plainTexts = new Set(['Agent.model', 'Message.model', 'Copy.promptId', 'Lead.utm']);

/** Whether a column's type allows text that a person wrote. */
function isText({ model }: Pick<ListRule, 'model'>, column: string): boolean {
  const type = types.get(`${model}.${column}`);
  if (!type) throw new Error(`${model} has no column ${column}`);
  if (isIdName(column) || plainTexts.has(`${model}.${column}`)) return false;
  return type === 'text' || type === 'jsonb';
}

/**
 * Expects the answer to be refused exactly where it contains personal data, also after the owner has asked the same.
 */
async function expectRefused(document: string, isClosed: boolean, variables?: object): Promise<void> {
  await gateway.graphql(world.owner, document, variables);
  const answer = await ask(document, variables);
  const codes = answer.errors?.map(({ extensions }) => extensions.code);
  expect({ document, variables, codes }).toEqual({ document, variables, codes: isClosed ? ['forbidden'] : undefined });
}

test('only the lists of keys, of webhooks, of erasures, and the audit log, which viewers may not read, stay closed to analytics.read', () => {
  expect(lists.filter(({ rule }) => !rule.analytics).map(({ name }) => name)).toEqual([
    'auditEntries',
    'erasureReceipts',
    'keys',
    'webhookDeliveries',
    'webhooks',
  ]);
});

describe('with analytics.read alone', () => {
  test.each(each(lists))('%s is counted, and its rows are refused by field', async (name, { rule }) => {
    await expectRefused(`{ list: ${name} { totalCount countUpTo { count } } }`, !rule.analytics);
    for (const rows of ['nodes { __typename }', 'edges { cursor }', 'pageInfo { endCursor }']) {
      const answer = await ask(`{ list: ${name} { totalCount ${rows} } }`);
      const error = expectFailure(answer, 'forbidden', rule.permission.replace('.read', ''));
      if (rule.analytics) expect(error?.path).toEqual(['list', rows.split(' ')[0]]);
    }
  });

  test.each(each(open))('%s is searched and sorted by no text', async (name, { field, rule }) => {
    const has = (argument: string) => field.args.some((given) => given.name === argument);
    if (has('search')) await expectRefused(`{ ${name}(search: "ana") { totalCount } }`, true);
    for (const column of Object.keys(rule.orders)) {
      const isKey = rule.orders[column]?.type === 'key';
      const order = `{field: ${column}, direction: asc${isKey ? ', key: "plan"' : ''}}`;
      const isClosed = isKey ? isText(rule, column) : rule.orders[column]?.type === 'text' && column !== 'count';
      await expectRefused(`{ ${name}(orderBy: ${order}) { totalCount } }`, isClosed);
    }
  });

  test.each(each(open))('%s is filtered by no text', async (name, { field, rule }) => {
    const filter = field.args.find((argument) => argument.name === 'filter');
    if (!filter) return;
    const fields = Object.values((getNamedType(filter.type) as GraphQLInputObjectType).getFields());
    const conditions = fields.flatMap((argument) => {
      const by = rule.filters[argument.name];
      if (!by || by.kind === 'relation') return [];
      const isClosed = by.kind !== 'present' && by.kind !== 'related' && isText(rule, by.column);
      return [{ argument, kind: by.kind, isClosed }];
    });
    for (const { argument, isClosed } of oneOfEach(conditions, ({ kind, isClosed }) => `${kind} ${isClosed}`)) {
      const document = `query ($filter: ${getNamedType(filter.type).name}) { ${name}(filter: $filter) { totalCount } }`;
      const given = { [argument.name]: valueOf(argument.type) };
      const within = [{ not: given }, { or: [{}, given] }, { and: [{ or: [{ not: given }] }] }];
      for (const filter of [given, ...within]) await expectRefused(document, isClosed, { filter });
    }
  });

  test.each(each(grouped))('%s are grouped and measured by no text', async (name, { field, rule }) => {
    const { moments, by, numbers = [], distinct = [] } = rule.groups as NonNullable<ListRule['groups']>;
    const groups = (selected: string) => `{ ${name} { groups(first: 1) { nodes { ${selected} } } } }`;
    await expectRefused(groups('count rows { totalCount }'), true);
    for (const moment of moments) await expectRefused(groups(`by { ${moment}(every: day) { from } }`), false);
    for (const [key, dimension] of Object.entries(by)) {
      const selected = { key: `${key}(key: "a")`, related: `${key} { id }`, value: key, present: key }[dimension.kind];
      const holder = 'via' in dimension && dimension.via ? dimension.via : rule;
      const isClosed = dimension.kind !== 'present' && isText(holder, dimension.column);
      await expectRefused(groups(`by { ${selected} }`), isClosed);
    }
    for (const column of numbers) await expectRefused(groups(`sum { ${column} } p95 { ${column} }`), false);
    for (const column of distinct) await expectRefused(groups(`distinct { ${column} }`), isText(rule, column));
    const order = fieldsOf(field).groups?.args.find((argument) => argument.name === 'orderBy');
    const fields = (getNamedType(order?.type as GraphQLInputType) as GraphQLInputObjectType).getFields().field;
    const orders = (getNamedType(fields?.type as GraphQLInputType) as GraphQLEnumType)
      .getValues()
      .map(({ name: by }) => {
        const column = /^distinct(.)(.*)/.exec(by)?.slice(1);
        return { by, isClosed: Boolean(column && isText(rule, `${column[0]?.toLowerCase()}${column[1]}`)) };
      });
    for (const { by, isClosed } of oneOfEach(orders, ({ by, isClosed }) => `${verbOf(by)} ${isClosed}`)) {
      const ratio = by === 'ratio' ? ', ratio: {of: count}' : '';
      // A running total needs a time span.
      const span = by.startsWith('cumulative') ? `by { ${moments[0]}(every: day) { from } } ` : '';
      const document = `{ ${name} { groups(orderBy: {field: ${by}, direction: asc${ratio}}) { nodes { ${span}count } } } }`;
      await expectRefused(document, isClosed);
    }
  });

  test('a group is told apart by the name of its agent, and by nothing else that the agent holds', async () => {
    const by = (fields: string) => `{ conversations { groups { nodes { by { ${fields} } count } } } }`;
    const { conversations } = (await ask(by('agent { id name } channel { id platform }'))).data;
    expect(conversations.groups.nodes[0].by.agent).toEqual({ id: expect.any(String), name: expect.any(String) });
    for (const closed of [
      'agent { instructions }',
      'agent { a: welcome }',
      'lead { email }',
      'channel { credentials }',
    ]) {
      expectFailure(await ask(by(closed)), 'forbidden', /^by\..* needs the permission conversations\.read/);
    }
    expectFailure(
      await ask(by('...on ConversationGroupBy { lead { ...Name } }').concat(name)),
      'forbidden',
      /by\.lead/,
    );
  });

  test('what is refused names the place and the permission', async () => {
    const filter = '{ leads(filter: {hasEmail: true}) { groups { nodes { count(filter: {hasPhone: true}) } } } }';
    expect((await ask(filter)).errors).toBeUndefined();
    const distinct = '{ leads { groups { other { distinct { email } } nodes { count } } } }';
    expectFailure(await ask(distinct), 'forbidden', 'distinct.email: needs the permission leads.read');
    const related = '{ conversations(filter: {not: {lead: {email: {startsWith: "a"}}}}) { totalCount } }';
    expectFailure(await ask(related), 'forbidden', 'filter.not.lead.email: needs the permission leads.read');
    const keys = '{ leads { groups { nodes { by { custom(key: "a") } } } } }';
    expectFailure(await ask(keys), 'forbidden', 'by.custom: needs the permission leads.read');
  });
});

const name = ' fragment Name on Lead { name }';

function valueOf(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [valueOf(inner.ofType)];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields());
    const required = fields.filter(({ type: of }) => isNonNullType(of));
    const given = required.length > 0 ? required : fields.slice(0, 1);
    return Object.fromEntries(given.map((field) => [field.name, valueOf(field.type)]));
  }
  if (getNamedType(inner).name === 'DateTime') return '2026-01-01T00:00:00.000Z';
  if (['Int', 'Float'].includes(getNamedType(inner).name)) return 1;
  return getNamedType(inner).name === 'Boolean' ? true : 'x';
}

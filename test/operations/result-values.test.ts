import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { valueKinds } from '../../src/core/value-kinds.ts';
import { parseDocument } from '../../src/graphql/documents/document.ts';
import { resultValues } from '../../src/graphql/result-values.ts';
import type { ListRule } from '../../src/lists/list.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();

/** What a measure is, by the field of the group: all that a group can have. */
const kinds: Record<string, string> = {
  count: 'count',
  ratio: 'ratio',
  distinct: 'distinct',
  sum: 'sum',
  avg: 'average',
  min: 'minimum',
  max: 'maximum',
  p50: 'percentile',
  p95: 'percentile',
};
const numeric = new Set(['Int', 'Float']);
const fieldsOf = (type: unknown) =>
  Object.values((getNamedType(type as GraphQLObjectType) as GraphQLObjectType).getFields());

/** The root lists that have groups. */
const grouped = fieldsOf(schema.getQueryType()).flatMap(({ name, type, extensions }) => {
  const connection = getNamedType(type);
  const groups = isObjectType(connection) ? connection.getFields().groups : undefined;
  return groups ? [{ name, groups, rule: extensions.parleyList as ListRule }] : [];
});

test('every measure of every list says what it is, whatever it is called', () => {
  expect(grouped.length).toBeGreaterThan(15);
  for (const { name, groups, rule } of grouped) {
    const node = fieldsOf(groups.type).find((field) => field.name === 'nodes');
    const expected: object[] = [];
    let at = 0;
    // Names that mislead: an average that is called a count, and a count that is called a share.
    const called = (kind: string) => `${valueKinds[kind as 'count'].additive ? 'avg' : 'count'}${at++}`;
    const measures = (path: string, type: unknown, own?: string): string =>
      fieldsOf(type)
        .flatMap((field) => {
          if (field.name === 'by' || field.name === 'rows') return [];
          if (field.name === 'previous') return [`previous { ${measures(`${path}.previous`, field.type)} }`];
          if (field.name === 'cumulative')
            return [`cumulative { ${measures(`${path}.cumulative`, field.type, 'cumulative')} }`];
          const kind = own ?? kinds[field.name];
          if (!kind) throw new Error(`${field.name} of groups has no kind`);
          const alias = called(kind);
          const told = { kind, additive: valueKinds[kind as 'count'].additive };
          if (field.name === 'count' || field.name === 'ratio') {
            expected.push({ path: `${path}.${alias}`, ...told, unit: null });
            return [`${alias}: ${field.name}${kind === 'ratio' ? '(of: count, toFilter: {})' : ''}`];
          }
          const columns = fieldsOf(field.type);
          for (const column of columns.filter((one) => numeric.has(getNamedType(one.type).name))) {
            const unit = kind === 'distinct' ? null : (rule.groups?.units?.[column.name] ?? null);
            expected.push({ path: `${path}.${alias}.a_${column.name}`, ...told, unit });
          }
          return [`${alias}: ${field.name} { ${columns.map((one) => `a_${one.name}: ${one.name}`).join(' ')} }`];
        })
        .join(' ');
    const selection = measures('x.y.z', node?.type);
    const query = `{ x: ${name} { y: groups { ...Page } } }
      fragment Page on ${getNamedType(groups.type).name} { z: nodes { ... { by { hour: hourOfDay } ${selection} } } }`;
    const document = parseDocument(query);
    expect(resultValues(schema, document)).toEqual([
      { path: 'x.y.z.by.hour', kind: 'hourOfDay', additive: false, unit: null },
      ...expected,
    ]);
  }
});

test('a column of a list has the unit of its sums', () => {
  for (const { groups, rule } of grouped) {
    const type = schema.getType(rule.model);
    for (const [column, unit] of Object.entries(rule.groups?.units ?? {})) {
      expect(rule.groups?.numbers).toContain(column);
      const field = isObjectType(type) ? type.getFields()[column] : undefined;
      if (field)
        expect([groups.name, column, field.extensions.parleyValue]).toMatchObject([
          groups.name,
          column,
          { kind: 'amount', unit },
        ]);
    }
  }
});

test('the gateway says it of an operation, and of a saved one', async () => {
  const query =
    'query Q($n: Int!) { messages(first: $n) { nodes { cost position } groups { nodes { s: avg { replyTime } } } } evaluationRuns { nodes { passedShare } } }';
  const values = [
    { path: 'messages.nodes.cost', kind: 'amount', additive: true, unit: 'USD' },
    { path: 'messages.nodes.position', kind: 'level', additive: false, unit: null },
    { path: 'messages.groups.nodes.s.replyTime', kind: 'average', additive: false, unit: 'ms' },
    { path: 'evaluationRuns.nodes.passedShare', kind: 'share', additive: false, unit: null },
  ];
  const ask = 'query ($operation: OperationInput!) { resultValues(operation: $operation) { path kind additive unit } }';
  const { resultValues: told } = await gateway.data(home.viewer, ask, { operation: { query, variables: { n: 1 } } });
  expect(told).toEqual(values);
  const { createOperation } = await gateway.data(
    home.owner,
    'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { values { path kind additive unit } } } }',
    { input: { name: 'values', document: query } },
  );
  expect(createOperation.operation.values).toEqual(values);
  const twice = `query ($operation: OperationInput!) { resultValues(operation: $operation) { path } again: resultValues(operation: $operation) { path } }`;
  const { errors } = await gateway.graphql(home.viewer, twice, { operation: { query, variables: { n: 1 } } });
  expect(errors?.[0]?.message).toMatch(/^resultValues: may be selected once in a request/);
});

test('fragments that write out without end are read to a limit', () => {
  const fragments = Array.from(
    { length: 30 },
    (_, at) =>
      `fragment F${at} on AgentConnection { nodes { leads { nodes { agent { a${at}: id } } } } ...F${at + 1} ...F${at + 1} }`,
  );
  const document = parseDocument(
    `{ agents { ...F0 } } ${fragments.join(' ')} fragment F30 on AgentConnection { totalCount }`,
  );
  expect(resultValues(schema, document).length).toBeLessThanOrEqual(1);
});

import { buildSchema, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { executeWhole } from '../../src/graphql/incremental.ts';
import { type GraphQLAnswer, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

async function ask(body: object, headers: Record<string, string> = {}): Promise<{ status: number } & GraphQLAnswer> {
  const authorization = `Bearer ${await gateway.bearer(home.owner)}`;
  const response = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as GraphQLAnswer) };
}
const leadsNamed = (name: string) => gateway.database.lead.count({ where: { workspaceId: home.id, name } });
const missing = 'led_00000000000000000000000000';
/** A field that fails between two that do not. */
const query = `{ a: leads { totalCount } b: lead(id: "${missing}") { id } c: leads { totalCount } }`;
const writes = (name: string) => `mutation {
  a: createLead(input: { name: "${name}" }) { lead { name } }
  ...Failing
  c: createLead(input: { name: "${name}" }) { lead { name } }
}
fragment Failing on Mutation { b: deleteLead(input: { id: "${missing}" }) { deletedId } }`;
const failed = [expect.objectContaining({ path: ['b'], extensions: expect.objectContaining({ code: 'not_found' }) })];

describe('a field that fails', () => {
  test.each([{}, { onError: null }, { onError: 'PROPAGATE' }, { onError: 'NULL' }])(
    'leaves the others whole with %j',
    async (asked) => {
      const name = `Whole ${JSON.stringify(asked)}`.replaceAll('"', '');
      const count = { totalCount: expect.any(Number) };
      expect(await ask({ query, ...asked })).toMatchObject({
        status: 200,
        data: { a: count, b: null, c: count },
        errors: failed,
      });
      expect(await ask({ query: writes(name), ...asked })).toMatchObject({
        data: { a: { lead: { name } }, b: null, c: { lead: { name } } },
        errors: failed,
      });
      expect(await leadsNamed(name)).toBe(2);
    },
  );

  test('ends the operation with HALT, and no later field of a mutation is run', async () => {
    expect(await ask({ query, onError: 'HALT' })).toEqual({ status: 200, data: null, errors: failed });
    expect(await ask({ query: writes('Halted'), onError: 'HALT' })).toMatchObject({ data: null, errors: failed });
    expect(await leadsNamed('Halted')).toBe(1);
  });

  test('with HALT and an Idempotency-Key, leaves nothing stored', async () => {
    const headers = { 'idempotency-key': 'halted' };
    expect(await ask({ query: writes('Undone'), onError: 'HALT' }, headers)).toMatchObject({
      data: null,
      errors: failed,
    });
    expect(await leadsNamed('Undone')).toBe(0);
  });

  test('is awaited with HALT where parts of the result would be sent later', async () => {
    const deferred = `{ a: leads { totalCount } ... @defer { b: lead(id: "${missing}") { id } } }`;
    expect(
      await ask({ query: deferred, onError: 'HALT' }, { accept: 'multipart/mixed, application/json' }),
    ).toMatchObject({
      data: null,
      errors: failed,
    });
  });
});

test('without an error, HALT gives what every other value gives, in the order of the document', async () => {
  const document = `mutation { __typename a: createLead(input: { name: "x" }) { lead { name } } __proto__: __typename
    ... @skip(if: true) { b: createLead(input: { name: "x" }) { lead { name } } } a: createLead(input: { name: "x" }) { lead { company } } }`;
  const [halting, usual] = [await ask({ query: document, onError: 'HALT' }), await ask({ query: document })];
  expect(JSON.stringify(halting)).toBe(JSON.stringify(usual));
  expect(await leadsNamed('x')).toBe(2);
});

test('by GET, in the address', async () => {
  const authorization = `Bearer ${await gateway.bearer(home.owner)}`;
  const at = (onError: string) =>
    gateway.app.request(`/graphql?${new URLSearchParams({ query, onError })}`, { headers: { authorization } });
  expect(await (await at('HALT')).json()).toEqual({ data: null, errors: failed });
  expect((await at('halt')).status).toBe(400);
});

test.each(['halt', '', 1, ['NULL']])('%j is refused, and nothing is run', async (onError) => {
  const answer = await ask({ query: writes('Refused'), onError });
  expect([answer.status, answer.data, answer.errors?.[0]?.message]).toEqual([
    400,
    undefined,
    'onError: must be PROPAGATE, NULL or HALT',
  ]);
  expect(await leadsNamed('Refused')).toBe(0);
});

test('an event of a subscription has no data with HALT if a part of it fails', async () => {
  const { createAgent } = await gateway.data(
    home.editor,
    'mutation { createAgent(input: { name: "Guide" }) { agent { id } } }',
  );
  const input = { agentId: createAgent.agent.id, message: { content: 'Hello' } };
  const subscription = `subscription ($input: SendMessageInput!) { streamMessage(input: $input) { id turn {
    conversation { messages(first: -1) { totalCount } } } } }`;
  const lastWith = async (onError: string) => {
    const response = await gateway.app.request('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${await gateway.bearer(home.owner)}`,
      },
      body: JSON.stringify({ query: subscription, variables: { input }, onError }),
    });
    const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
    return JSON.parse(events.at(-1)?.slice('data: '.length) ?? '') as GraphQLAnswer;
  };
  const path = ['streamMessage', 'turn', 'conversation', 'messages'];
  expect(await lastWith('NULL')).toMatchObject({ data: { streamMessage: { turn: {} } }, errors: [{ path }] });
  expect(await lastWith('HALT')).toMatchObject({ data: null, errors: [{ path }] });
});

test('a fault in what is never null takes its parent with it, but not with NULL', async () => {
  const schema = buildSchema('type Query { a: Row, b: Row } type Row { id: ID!, name: String! }');
  const rootValue = { a: { id: 1, name: null }, b: { id: 2, name: 'B' } };
  const document = parse('{ a { id name } b { id name } }');
  const b = { id: '2', name: 'B' };
  const data = async (onError?: 'NULL' | 'HALT') => (await executeWhole({ schema, document, rootValue }, onError)).data;
  expect(await data()).toEqual({ a: null, b });
  expect(await data('NULL')).toEqual({ a: { id: '1', name: null }, b });
  expect(await data('HALT')).toBeNull();
});

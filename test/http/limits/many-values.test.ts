import { beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../src/core/limits.ts';
import { makeAgent } from '../../support/gateway/factories.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';
import { oneOfEach } from '../../support/random/cases.ts';
import { growth } from '../../support/random/growth.ts';
import { operations } from '../../support/rest/operations.ts';

const { gateway, home } = useWorkspaces();
let agentId: string;
let token: string;
beforeAll(async () => {
  agentId = (await makeAgent(gateway, home.editor)).id;
  token = await gateway.bearer(home.owner);
});

const send = (path: string, text: string, headers: object = {}, method = 'POST') =>
  gateway.app.request(path, {
    method,
    body: text,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  });
const sending = 'mutation($i: SendMessageInput!) { sendMessage(input: $i) { conversation { id } } }';
const asked = (variables: string) => `{"query":${JSON.stringify(sending)},"variables":${variables}}`;
const call = (items: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","arguments":{"x":[${items}]}}}`;

const completionWith = (given: string) =>
  JSON.stringify({
    model: 'agt_1',
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: given } }] },
      { role: 'tool', tool_call_id: 'c', content: 'y' },
    ],
  });

/** Everything that takes a JSON body, with a list somewhere in it. */
type Door = [name: string, path: string, body: (items: string) => string, headers?: object, method?: string];
const doors: Door[] = [
  ['GraphQL', '/graphql', (items) => asked(`{"i":{"agentId":"${agentId}","messages":[${items}]}}`)],
  ['GraphQL, left to Yoga', '/graphql', (items) => asked(`{"i":[${items}]}`), { accept: 'application/json;q=0.5' }],
  ['unused variables of GraphQL', '/graphql', (items) => `{"query":"{ __typename }","variables":{"x":[${items}]}}`],
  ['extensions of GraphQL', '/graphql', (items) => `{"query":"{ __typename }","extensions":{"x":[${items}]}}`],
  [
    'GraphQL, as a form',
    '/graphql',
    (items) => `${new URLSearchParams({ query: '{ __typename }', variables: `{"x":[${items}]}` })}`,
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
  ['a completion', '/v1/chat/completions', (items) => `{"model":"${agentId}","messages":[${items}]}`],
  ['the arguments of a call, as text', '/v1/chat/completions', (items) => completionWith(`{"x":[${items}]}`)],
  ['MCP', '/mcp', call, { accept: 'application/json, text/event-stream' }],
  ['the translation of REST', '/graphiql/rest/operation', (items) => `{"method":"GET","url":"/","x":[${items}]}`],
  ['the translation to REST', '/graphiql/rest/request', (items) => `{"query":"{ a }","variables":{"x":[${items}]}}`],
  ...operations
    .filter(({ requestBody }) => requestBody)
    .map(({ operationId, method, path }): Door => {
      const filled = path.replace('{agentId}', 'agt_1').replaceAll(/\{\w+\}/g, 'x_1');
      return [operationId, filled, (items) => `{"messages":[${items}],"x":1}`, {}, method.toUpperCase()];
    }),
];

/** What is short, and takes long to check or to refuse. */
const kinds: Record<string, string> = {
  numbers: '1',
  nulls: 'null',
  'empty objects': '{}',
  'empty lists': '[]',
  'empty texts': '""',
  'objects with an unknown key': '{"rolex":"x"}',
  messages: '{"role":"user"}',
};
const cases = doors.flatMap((door) => Object.keys(kinds).map((kind) => ({ name: door[0], kind, door })));

describe('a body with more values than any needs is refused before it is read', () => {
  test.each(oneOfEach(cases, ({ name }) => name))('$name, with $kind', async ({ kind, door }) => {
    const [, path, body, headers, method] = door;
    const response = await send(path, body(Array(limits.jsonValues).fill(kinds[kind]).join()), headers, method);
    const text = await response.text();
    expect(text).toContain('has more than 50,000 values');
    expect(text.length).toBeLessThan(1_000);
    expect([200, 400]).toContain(response.status);
  });
});

test('the arguments of a call are named by their path', async () => {
  const items = Array(limits.jsonValues).fill('1').join();
  const { error } = await (await send('/v1/chat/completions', completionWith(`{"x":[${items}]}`))).json();
  const param = 'messages.1.tool_calls.0.function.arguments';
  expect(error).toMatchObject({ param, message: `${param}: has more than 50,000 values.` });
});

test('commas and brackets within texts are no values', async () => {
  const content = ',[{"\\'.repeat(limits.jsonValues);
  const response = await send('/graphql', JSON.stringify({ query: '{ __typename }', variables: { content } }));
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

test.each(oneOfEach(Object.keys(kinds), () => 'one'))('of many wrong values (%s), some are named', async (kind) => {
  const some = Array(Math.floor(limits.jsonValues / 3))
    .fill(kinds[kind])
    .join();
  for (const [name, path, body, headers, method] of doors) {
    const response = await send(path, body(some), headers, method);
    expect(response.status, name).toBeLessThan(500);
    expect((await response.text()).length, name).toBeLessThan(50_000);
  }
});

// Of the gateway's own work, in which values are read and checked: what a PostgreSQL server does is not measured.
describe('how long wrong values take to refuse grows with their number', () => {
  test.each(oneOfEach(cases, ({ name }) => name))('$name, with $kind', async ({ kind, door }) => {
    const [, path, body, headers, method] = door;
    const refused = (length: number) => send(path, body(Array(length).fill(kinds[kind]).join()), headers, method);
    expect(await growth(Math.floor(limits.jsonValues / 3), refused)).toBeLessThan(4);
  });
});

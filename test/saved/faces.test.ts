import { createHash } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { readOperations } from '../../src/cli/shared/operation-files.ts';
import { rowsIn } from '../../src/graphql/rows.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { openDemo } from '../support/gateway/demo.ts';
import { oneOfEach } from '../support/random/cases.ts';

let gateway: Gateway;
let server: Listening;
let client: Client;
let authorization: string;
beforeAll(async () => {
  // What leaves the last 12 weeks between two calls would be in one of them alone.
  const at = new Date();
  gateway = await openDemo({ now: () => at });
  authorization = `Bearer ${await issueToken(gateway.services, { userId: 'owner@demo.example' })}`;
  server = await listen(
    gateway.app.fetch as never,
    { host: '127.0.0.1', port: 0 },
    { pipeline: (gateway.app as never as { pipeline: never }).pipeline },
  );
  client = new Client({ name: 'test', version: '1.0.0' });
  const options = { requestInit: { headers: { authorization } } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), options) as never);
});
afterAll(async () => {
  await client?.close();
  await server?.close(0);
  await gateway?.close();
});

/** What is given for variables that have no default, and a second run with others. */
const given: Record<string, Record<string, unknown>[]> = {
  mentions: [{ words: 'reembolso' }, { words: 'reembolso', status: ['active', 'resolved'] }],
  'find-leads': [{}, { first: 3, filter: { or: [{ hasEmail: true }, { name: { contains: 'a' } }] } }],
  'unanswered-questions': [{}, { first: 2 }],
  'waiting-conversations': [{}, { first: 1 }],
};
const standard = [{}, { last: '52w' }];

const saved = readOperations('examples/operations');
const queries = saved.filter(({ document }) => /^query /m.test(document));
const cases = oneOfEach(
  queries.flatMap(({ name, document }) =>
    (given[name] ?? standard).map((variables) => ({ name, document, variables, label: JSON.stringify(variables) })),
  ),
  ({ name }) => name,
);

async function get(path: string, accept = '*/*') {
  const response = await fetch(server.url + path, { headers: { authorization, accept } });
  expect(response.status).toBe(200);
  return response.text();
}
async function post(body: object, accept = '*/*') {
  const headers = { authorization, 'content-type': 'application/json', accept };
  const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.text();
}

function addressOf(variables: Record<string, unknown>): string {
  const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const pairs = Object.entries(variables).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, textOf(item)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

test('the demo has all operations of the examples, each with a description', async () => {
  const { operations } = await gateway.data(
    authorization.slice('Bearer '.length),
    '{ operations(first: 100, orderBy: {field: name, direction: asc}) { nodes { name document description broken } } }',
  );
  expect(operations.nodes).toEqual(
    saved.map(({ name, document, description }) => ({ name, document, description, broken: null })),
  );
  expect(saved.every(({ description }) => description.length > 10)).toBe(true);
  expect(queries.length).toBeGreaterThan(5);
});

describe.each(cases)('$name with $label has one result', ({ name, document, variables }) => {
  test('as a document, by its name and by its hash, by POST and GET', async () => {
    const own = await post({ query: document, variables });
    const { data, errors } = JSON.parse(own);
    expect(errors).toBeUndefined();
    expect(rowsIn(data).length).toBeGreaterThan(0);
    for (const documentId of [name, `sha256:${createHash('sha256').update(document).digest('hex')}`]) {
      expect(await post({ documentId, variables })).toBe(own);
      const parameters = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
      expect(await get(`/graphql?${parameters}`)).toBe(own);
    }
  });

  test('at its address, as JSON, CSV and lines', async () => {
    const own = await post({ query: document, variables });
    const address = addressOf(variables);
    expect(await get(`/run/${name}${address}`)).toBe(own);
    expect(await get(`/run/${name}.csv${address}`)).toBe(await post({ query: document, variables }, 'text/csv'));
    const lines = (await get(`/run/${name}.ndjson${address}`)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rowsIn(JSON.parse(own).data));
  });

  test('as a picture', async () => {
    const svg = await get(`/run/${name}.svg${addressOf(variables)}`);
    expect(svg).toMatch(/^<svg .*<\/svg>$/s);
    expect(svg).not.toMatch(/NaN|undefined|There is nothing/);
    expect(svg.match(/<text /g)?.length).toBeGreaterThan(0);
  });

  test('as the first event of its stream', async () => {
    const response = await fetch(`${server.url}/run/${name}${addressOf(variables)}`, {
      headers: { authorization, accept: 'text/event-stream' },
    });
    const events = readEvents(response);
    expect((await events.next())?.data).toEqual(JSON.parse(await post({ query: document, variables })));
    await events.leave();
  });

  test('as a tool', async () => {
    const { structuredContent, content } = await client.callTool({ name, arguments: variables });
    const { data } = JSON.parse(await post({ query: document, variables }));
    expect(structuredContent).toEqual(data);
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toEqual(data);
  });
});

test('all are tiles of boards, whose streams have the same results', async () => {
  const most = 24;
  for (let begin = 0; begin < cases.length; begin += most) {
    const part = cases.slice(begin, begin + most);
    const tiles = part.map(({ name, variables }) => ({ operation: name, variables, width: 4 }));
    const create = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
    const board = `faces-${begin}`;
    await gateway.data(authorization.slice('Bearer '.length), create, { input: { name: board, title: board, tiles } });
    const response = await fetch(`${server.url}/run/boards/${board}`, { headers: { authorization } });
    const events = readEvents(response);
    const shown = new Map<number, object>();
    while (shown.size < part.length) {
      const { data } = (await events.next()) as { data: { tile: number } };
      const { tile, ...result } = data;
      shown.set(tile, result);
    }
    await events.leave();
    for (const [at, { document, variables, name }] of part.entries())
      expect([name, shown.get(at)]).toEqual([name, JSON.parse(await post({ query: document, variables }))]);
  }
});

test('a mutation is a tool, by its name alone', async () => {
  const { conversations } = JSON.parse(await post({ query: '{ conversations(first: 1) { nodes { id } } }' })).data;
  const { id } = conversations.nodes[0];
  const done = { updateConversation: { conversation: { id, status: 'resolved' } } };
  const tool = await client.callTool({ name: 'resolve-conversation', arguments: { id } });
  expect(tool.structuredContent).toEqual(done);
  expect(JSON.parse(await post({ documentId: 'resolve-conversation', variables: { id } }))).toEqual({ data: done });
});

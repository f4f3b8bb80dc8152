import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { makeKey } from '../support/auth/keys.ts';
import { useStreaming } from '../support/conversations/streaming.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const { world, usage } = useStreaming();
let server: Listening;
let other: TestWorkspace;
beforeAll(async () => {
  server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  other = await makeWorkspace(world.gateway);
  await save('agents', 'query ($first: Int = 1) { agents(first: $first) { nodes { id } totalCount } }', {
    description: 'The newest agents.',
    variables: { first: 2 },
  });
  await save('find-leads', 'query ($filter: LeadFilter!) { leads(filter: $filter) { totalCount } }');
  await save(
    'rename',
    'mutation ($id: ID!, $name: String!) { updateAgent(input: {id: $id, name: $name}) { agent { name } } }',
  );
  await save('theirs', '{ agents(first: 1) { totalCount } }', {}, other);
});
afterAll(() => server.close(0));

const save = (
  name: string,
  document: string,
  more: object = {},
  { owner }: Pick<TestWorkspace, 'owner'> = world.home,
) =>
  world.gateway.data(
    owner,
    'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }',
    { input: { name, document, ...more } },
  );

/** Runs a session of the official client with a bearer. */
async function connected<T>(bearer: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }) as never);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
const asOwner = async <T>(work: (client: Client) => Promise<T>) =>
  connected(await world.gateway.bearer(world.home.owner), work);
const call = (name: string, args: Record<string, unknown> = {}) =>
  asOwner((client) => client.callTool({ name, arguments: args }));
const textOf = ({ content }: object & { content?: unknown }) =>
  JSON.parse((content as { text: string }[])[0]?.text ?? 'null');
const namesFor = (bearer: string) =>
  connected(bearer, async (client) => (await client.listTools()).tools.map(({ name }) => name).sort());

describe('the tools of a workspace', () => {
  test('are three of its own, and its saved operations with typed arguments', async () => {
    const { tools } = await asOwner((client) => client.listTools());
    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(Object.keys(byName).sort()).toEqual([
      'agents',
      'ask_agent',
      'find-leads',
      'list_agents',
      'rename',
      'search_passages',
    ]);
    expect(byName.agents).toMatchObject({
      description: 'The newest agents.',
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: { first: { type: 'integer', default: 2 } },
        additionalProperties: false,
      },
    });
    expect(byName.agents?.inputSchema.required).toBeUndefined();
    expect(byName.rename).toMatchObject({
      annotations: { readOnlyHint: false },
      inputSchema: { properties: { id: { type: 'string' }, name: { type: 'string' } }, required: ['id', 'name'] },
    });
    // The graph has it for a page that asks for their values.
    const asked = '{ operations(first: 20) { nodes { name inputSchema } } }';
    for (const { name, inputSchema } of (await world.gateway.data(world.home.owner, asked)).operations.nodes)
      expect(byName[name]?.inputSchema).toEqual(inputSchema);
    const { properties, $defs } = (byName['find-leads']?.inputSchema ?? {}) as Record<string, any>;
    expect(properties.filter).toEqual({ $ref: '#/$defs/LeadFilter' });
    expect($defs.LeadFilter.properties.and).toMatchObject({ type: 'array', items: { $ref: '#/$defs/LeadFilter' } });
  });

  test('are those that the bearer may use', async () => {
    const key = (scopes: string[], operations: string[] = []) =>
      makeKey(world.gateway, world.home.editor, { scopes, operations });
    expect(await namesFor(await key(['agents.read']))).toEqual(['list_agents']);
    expect(await namesFor(await key(['messages.send', 'operations.read']))).toEqual([
      'agents',
      'ask_agent',
      'find-leads',
      'rename',
    ]);
    expect(await namesFor(await key(['agents.read', 'messages.send'], ['agents', 'gone']))).toEqual(['agents']);
  });

  test('come in pages when there are many', async () => {
    const many = await makeWorkspace(world.gateway);
    const names = Array.from({ length: 301 }, (_, index) => `op-${String(index).padStart(3, '0')}`);
    const rows = names.map((name) => ({ id: `op_${name}`, workspaceId: many.id, name }));
    await world.gateway.database.savedOperation.createMany({
      data: rows.map((row) => ({
        ...row,
        document: row.name === 'op-007' ? '{ gone }' : '{ agents { totalCount } }',
        documentHash: '',
        createdBy: 'x',
        updatedBy: 'x',
      })),
    });
    const found = await connected(await world.gateway.bearer(many.viewer), async (client) => {
      const first = await client.listTools();
      const second = await client.listTools({ cursor: first.nextCursor ?? '' });
      expect([first.tools.length, second.nextCursor]).toEqual([251, undefined]);
      return [...first.tools, ...second.tools].map(({ name }) => name);
    });
    expect(found.filter((name) => name.startsWith('op-'))).toEqual(names.filter((name) => name !== 'op-007'));
  });
});

describe('a tool that is called', () => {
  test('runs a saved operation, with what it saved for arguments that are left out', async () => {
    await makeAgent(world.gateway, world.home.editor);
    const two = await call('agents');
    expect(two.structuredContent).toMatchObject({ agents: { nodes: [{}, {}] } });
    expect(textOf(two)).toEqual(two.structuredContent);
    expect((await call('agents', { first: 1 })).structuredContent).toMatchObject({ agents: { nodes: [{}] } });
    const agent = await makeAgent(world.gateway, world.home.editor);
    expect((await call('rename', { id: agent.id, name: 'New' })).structuredContent).toEqual({
      updateAgent: { agent: { name: 'New' } },
    });
  });

  test('asks an agent, in one conversation, counted like any turn', async () => {
    const before = await usage();
    const asked = call('ask_agent', { agentId: world.agent.id, message: 'Hello', visitor: 'ana' });
    (await world.model.next()).say('Hello you').end();
    const { conversationId, answer } = textOf(await asked);
    expect(answer).toBe('Hello you');
    const again = call('ask_agent', { agentId: world.agent.id, message: 'More', conversationId });
    (await world.model.next()).say('Bye').end();
    expect(textOf(await again)).toMatchObject({ conversationId, answer: 'Bye' });
    expect(await usage()).toBe(before + 2);
  });

  test('lists agents and searches passages', async () => {
    expect(textOf(await call('list_agents')).agents).toContainEqual(
      expect.objectContaining({ id: world.agent.id, status: 'draft' }),
    );
    expect(textOf(await call('search_passages', { query: 'opening hours' }))).toEqual({ passages: [] });
  });

  test('says what is wrong with it, in a way that a model can read', async () => {
    expect(await call('agents', { first: 'many' })).toMatchObject({ isError: true });
    expect(textOf(await call('agents', { first: 'many' })).errors[0]).toMatchObject({
      extensions: { code: 'invalid_request' },
      message: expect.stringContaining('first'),
    });
    expect(textOf(await call('ask_agent', { agentId: world.agent.id }))).toMatchObject({
      code: 'invalid_request',
      message: 'message: is required',
    });
    expect(textOf(await call('ask_agent', { agentId: 'agt_none', message: 'Hi' }))).toMatchObject({
      code: 'not_found',
    });
  });

  test('is refused by the rights of the bearer, and is not there for others', async () => {
    await expect(call('theirs')).rejects.toThrow(/no tool theirs/);
    await expect(call('nothing')).rejects.toThrow(/no tool nothing/);
    const scopes = ['agents.read', 'messages.send'];
    const key = await makeKey(world.gateway, world.home.editor, { scopes, operations: ['rename'] });
    await connected(key, async (client) => {
      const agent = await makeAgent(world.gateway, world.home.editor);
      const renamed = await client.callTool({ name: 'rename', arguments: { id: agent.id, name: 'No' } });
      expect(textOf(renamed).errors[0].extensions.code).toBe('forbidden');
      expect(textOf(await client.callTool({ name: 'agents' }))).toMatchObject({ code: 'forbidden' });
      expect(textOf(await client.callTool({ name: 'list_agents' }))).toMatchObject({ code: 'forbidden' });
    });
  });

  test('changes what the audit log records as of its bearer', async () => {
    const agent = await makeAgent(world.gateway, world.home.editor);
    await call('rename', { id: agent.id, name: 'Logged' });
    const entries = await world.gateway.data(
      world.home.owner,
      '{ auditEntries(first: 1) { nodes { action rowId actor { ... on User { id } } } } }',
    );
    expect(entries.auditEntries.nodes[0]).toMatchObject({ rowId: agent.id, actor: { id: world.home.owner.userId } });
  });
});

describe('the endpoint', () => {
  test('needs a bearer', async () => {
    await expect(connected('none', (client) => client.listTools())).rejects.toThrow(/401|unauthorized/i);
    const response = await fetch(`${server.url}/mcp`, { method: 'POST' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test('counts requests against the budgets of a key', async () => {
    const scopes = ['agents.read'];
    const key = await makeKey(world.gateway, world.home.editor, { scopes, ratePerMinute: 2 });
    await expect(
      connected(key, async (client) => {
        await client.listTools();
        await client.listTools();
      }),
    ).rejects.toThrow(/429|rate/i);
  });

  test('has no sessions and takes POST alone', async () => {
    const response = await fetch(`${server.url}/mcp`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('refuses what is no message of the protocol', async () => {
    const headers = {
      authorization: `Bearer ${await world.gateway.bearer(world.home.owner)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const post = async (body: string) => (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })).status;
    expect([await post('{}'), await post('nonsense'), await post('[]')]).toEqual([400, 400, 400]);
  });
});

import { describe, expect, test } from 'vitest';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { makeWorld } from '../support/world/world.ts';

const { gateway, home, other } = useWorkspaces();

const create =
  'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id name status color createdBy } } }';
const update =
  'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { id name welcome color } } }';
const move = (verb: string) =>
  `mutation ($input: ${verb}AgentInput!) { move: ${verb[0]?.toLowerCase()}${verb.slice(1)}Agent(input: $input) { agent { status } } }`;

describe('an agent', () => {
  test('is a draft when it is made, by whom made it', async () => {
    const { createAgent } = await gateway.data(home.editor, create, { input: { name: ' Ana ' } });
    expect(createAgent.agent).toEqual({
      id: expect.stringMatching(/^agt_/),
      name: 'Ana',
      status: 'draft',
      color: '#2563eb',
      createdBy: home.editor.userId,
    });
  });

  test('keeps what an update leaves out, and takes null', async () => {
    const { id } = await makeAgent(gateway, home.editor, { name: 'Bia', welcome: 'Hi', color: '#111111' });
    const { updateAgent } = await gateway.data(home.editor, update, { input: { id, welcome: null } });
    expect(updateAgent.agent).toEqual({ id, name: 'Bia', welcome: null, color: '#111111' });
  });

  test.each([
    [{ name: '' }, /name: must not be empty/],
    [{ name: 'x'.repeat(201) }, /name: must have at most 200/],
    [{ name: 'a', color: 'blue' }, /color/],
  ])('is refused with %j', async (input, message) => {
    expectFailure(await gateway.graphql(home.editor, create, { input }), 'invalid_request', message);
  });

  test('goes from draft to active to paused and back, and to archived for good', async () => {
    const input = await makeAgent(gateway, home.editor);
    const status = async (verb: string) => (await gateway.data(home.editor, move(verb), { input })).move.agent.status;
    expect(await status('Publish')).toBe('active');
    expect(await status('Pause')).toBe('paused');
    expect(await status('Publish')).toBe('active');
    expect(await status('Archive')).toBe('archived');
    expectFailure(await gateway.graphql(home.editor, move('Publish'), { input }), 'conflict', /is archived/);
  });

  test('of another workspace is not found', async () => {
    const { id } = await makeAgent(gateway, other.editor);
    expectFailure(
      await gateway.graphql(home.owner, update, { input: { id, name: 'x' } }),
      'not_found',
      /Agent not found/,
    );
    expectFailure(await gateway.graphql(home.owner, move('Publish'), { input: { id } }), 'not_found');
    expectFailure(await gateway.graphql(home.owner, `{ agent(id: "${id}") { name } }`), 'not_found');
    expect(await gateway.data(home.owner, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
  });

  test('is not made by a viewer, nor removed by an editor', async () => {
    expectFailure(await gateway.graphql(home.viewer, create, { input: { name: 'x' } }), 'forbidden', /role viewer/);
    const { id } = await makeAgent(gateway, home.editor);
    const remove = `mutation { deleteAgent(input: { id: "${id}" }) { agent { id deleted } } }`;
    expectFailure(await gateway.graphql(home.editor, remove), 'forbidden');
    expect(await gateway.data(home.admin, remove)).toEqual({ deleteAgent: { agent: { id, deleted: true } } });
    expectFailure(await gateway.graphql(home.admin, remove), 'not_found');
  });

  test('is found by name whatever its case and accents, and a pattern is only text', async () => {
    const { id } = await makeAgent(gateway, home.editor, { name: 'Ação 100%' });
    const find = async (search: string) =>
      (
        await gateway.data(home.viewer, 'query ($search: String) { agents(search: $search) { nodes { id } } }', {
          search,
        })
      ).agents.nodes;
    expect(await find('ACAO 100%')).toEqual([{ id }]);
    expect(await find('a_ao')).toEqual([]);
    expect(await find('%\\')).toEqual([]);
  });
});

describe('GET /rest/agents', () => {
  test('answers a numbered page in the legacy shape', async () => {
    const workspace = await makeWorkspace(gateway);
    for (const name of ['one', 'two', 'three']) await makeAgent(gateway, workspace.editor, { name });
    const { status, body } = await gateway.rest(workspace.viewer, 'GET', '/rest/agents?page=2&size=2');
    expect(status).toBe(200);
    expect(body.data.map((agent: { name: string }) => agent.name)).toEqual(['one']);
    expect(body.data[0]).toMatchObject({ behavior_type: 'basic', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(body.meta).toEqual({ total: 3, page: 2, size: 2, first: 1, last: 2, next: null, previous: 1 });
  });

  test('needs a bearer', async () => {
    const { status, body, headers } = await gateway.rest(null, 'GET', '/rest/agents');
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer']);
  });

  test('names what is wrong with a query', async () => {
    const { status, body } = await gateway.rest(home.viewer, 'GET', '/rest/agents?page=0&size=abc');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_request',
      issues: [{ message: /^page: / }, { message: /^size: / }].map((issue) => ({
        message: expect.stringMatching(issue.message),
      })),
    });
  });

  test('ignores an unknown key with a warning, and refuses it when asked to be strict', async () => {
    const lax = await gateway.rest(home.viewer, 'GET', '/rest/agents?pag=2');
    expect([lax.status, lax.headers.get('warning')]).toEqual([
      200,
      expect.stringContaining('closest known name is page'),
    ]);
    const strict = await gateway.rest(home.viewer, 'GET', '/rest/agents?pag=2', undefined, {
      prefer: 'handling=strict',
    });
    expect([strict.status, strict.body.issues[0].message]).toEqual([400, expect.stringContaining('pag')]);
  });
});

describe.each([
  ['Base', 'bases'],
  ['Plugin', 'plugins'],
] as const)('of an agent, a %s', (type, list) => {
  const change = (verb: 'attach' | 'detach') =>
    `mutation ($input: ${verb === 'attach' ? 'Attach' : 'Detach'}${type}Input!) {
      ${verb}${type}(input: $input) { agent { ${list} { nodes { id } } } } }`;

  test('is attached and detached, again without a change; one that is not there is not found', async () => {
    const [mine, theirs] = [await makeWorld(gateway), await makeWorld(gateway)];
    const { id: agentId } = await makeAgent(gateway, mine.editor);
    const key = `${type.toLowerCase()}Id` as 'baseId' | 'pluginId';
    const ask = (verb: 'attach' | 'detach', id: string) =>
      gateway.graphql(mine.editor, change(verb), { input: { agentId, [key]: id } });
    for (const verb of ['attach', 'attach', 'detach', 'detach'] as const) {
      const { data } = await ask(verb, mine.ids[key]);
      expect(data[`${verb}${type}`].agent[list].nodes).toEqual(verb === 'attach' ? [{ id: mine.ids[key] }] : []);
    }
    for (const verb of ['attach', 'detach'] as const) {
      expectFailure(await ask(verb, theirs.ids[key]), 'not_found');
      expectFailure(await ask(verb, 'x'), 'not_found');
    }
  });
});

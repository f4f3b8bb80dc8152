import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { operations, requests } from '../support/rest/operations.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
beforeAll(async () => {
  world = await makeWorld(gateway);
});

const json = { 'Content-Type': 'application/json' };
const translate = (
  to: 'operation' | 'request',
  body: object,
  viewer: Parameters<typeof gateway.rest>[0] = world.owner,
) => gateway.rest(viewer, 'POST', `/graphiql/rest/${to}`, body);

describe('every REST operation', () => {
  test.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s is an operation of the graph that answers, and that one leads back to it',
    async (id, { method, path }) => {
      const { path: params = {}, query = {}, body } = requests[id]?.(world.ids) ?? {};
      const search = new URLSearchParams(query).toString();
      const url = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}${search && '?'}${search}`;
      const request = {
        method,
        url: `https://old.example${url}`,
        headers: json,
        body: body ? JSON.stringify(body) : '',
      };
      const there = await translate('operation', request);
      expect(there, JSON.stringify(there.body)).toMatchObject({ status: 200, body: { id } });
      const { query: text, variables } = there.body;
      const answer = await gateway.graphql(world.owner, text, variables);
      expect(answer.errors).toBeUndefined();
      expect(Object.values(answer.data)[0]).not.toBeNull();
      const back = await translate('request', { query: text, variables });
      expect(back.body).toMatchObject({ id, method, url });
      expect(JSON.parse(back.body.body || '{}')).toMatchObject(body ?? {});
    },
  );
});

describe('a request', () => {
  const ofList = { method: 'get', url: '/rest/agents?page=3&size=5&search=ana&pageSize=9', headers: {} };

  test('says what its answer would warn of, and is refused as its route would', async () => {
    const { body } = await translate('operation', ofList);
    expect(body).toMatchObject({ id: 'listAgents', variables: { first: 5, offset: 10, search: 'ana' } });
    expect(body.warnings).toEqual([expect.stringContaining('pageSize')]);
    const wrong = { method: 'PUT', url: `/rest/fields/${world.ids.fieldId}`, headers: {}, body: '{"name":"x"}' };
    for (const request of [
      { ...wrong, url: '/rest/agents?page=0', method: 'GET' },
      wrong,
      { ...wrong, headers: json, body: '{"name":1}' },
    ]) {
      const direct = await gateway.app.request(request.url, {
        method: request.method,
        headers: { ...request.headers, authorization: `Bearer ${await gateway.bearer(world.owner)}` },
        ...(request.method !== 'GET' && { body: new TextEncoder().encode(request.body) }),
      });
      const { status, body } = await translate('operation', request);
      expect([status, body]).toEqual([direct.status, await direct.json()]);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect((await translate('operation', { ...ofList, url: '/rest/nothing' })).body).toEqual({
      none: 'No REST operation has GET and this path.',
    });
    expect((await translate('operation', { ...ofList, url: 'http://[', method: 'x y' })).body.none).toContain(
      'No REST',
    );
  });

  test('that streams is a subscription, and a condition becomes an argument', async () => {
    const message = { method: 'POST', url: `/api/${world.ids.agentId}`, body: '{"message":{"content":"Hi"}}' };
    const streamed = await translate('operation', { ...message, headers: { ...json, Accept: 'text/event-stream' } });
    expect(streamed.body.query).toMatch(/^subscription/);
    const whole = await translate('operation', { ...message, headers: { ...json, Accept: 'text/event-stream;q=0' } });
    expect(whole.body.query).toMatch(/^mutation/);
    const time = '2026-11-01T00:00:00.000Z';
    const tag = `"${world.ids.fieldId}-${Date.parse(time)}"`;
    const url = `/rest/fields/${world.ids.fieldId}`;
    const put = { method: 'PUT', url, headers: { ...json, 'If-Match': tag }, body: '{"name":"x","type":"text"}' };
    const { body } = await translate('operation', put);
    expect(body.variables.input).toMatchObject({ expectedUpdatedAt: time });
    expect((await translate('request', body)).body).toMatchObject({ url, headers: { 'If-Match': tag } });
  });

  test('changes nothing, and needs a bearer', async () => {
    const count = () => gateway.database.lead.count();
    const before = await count();
    const create = { method: 'POST', url: '/rest/leads', headers: json, body: '{"name":"Never"}' };
    expect((await translate('operation', create)).status).toBe(200);
    expect(await count()).toBe(before);
    expect((await translate('operation', create, null)).status).toBe(401);
    expect((await translate('request', { query: '{ agents { nodes { id } } }' }, null)).status).toBe(401);
    expect((await translate('operation', { method: 1 })).status).toBe(400);
  });
});

describe('an operation', () => {
  const equal = async (query: string, variables: object = {}) =>
    (await translate('request', { query, variables })).body;

  test('equals a request that answers all that it selects, whatever its names, fragments and literals are', async () => {
    expect(
      await equal('{ mine: agents(first: 5, offset: 10) { nodes { ...A } } } fragment A on Agent { label: name }'),
    ).toMatchObject({
      id: 'listAgents',
      method: 'GET',
      url: '/rest/agents?page=3&size=5',
    });
    expect(await equal('query ($s: String = "x") { agents(search: $s) { totalCount } }')).toMatchObject({
      url: '/rest/agents?search=x',
    });
    const list =
      'query ($a: ID!) { agent(id: $a) { conversations(filter: {createdAt: {from: "2026-09-01T00:00:00.000Z"}}) { nodes { id } } } }';
    const { agentId } = world.ids;
    expect((await equal(list, { a: agentId })).url).toContain(`/rest/conversations/list/${agentId}?`);
  });

  test.each([
    [
      'another field',
      '{ agents { nodes { id leads { totalCount } } } }',
      'listAgents does not answer “agents.nodes.leads”.',
    ],
    [
      'another argument',
      '{ agents(filter: {status: [active]}) { totalCount } }',
      'listAgents has no argument like agents(filter:).',
    ],
    [
      'a page that has no number',
      '{ agents(first: 5, offset: 7) { totalCount } }',
      'listAgents cannot be given these arguments.',
    ],
    ['a field that no REST operation answers', '{ webhooks { totalCount } }', 'No REST operation answers “webhooks”.'],
    ['two fields of the root', '{ agents { totalCount } leads { totalCount } }', 'listAgents does not answer “leads”.'],
    ['a directive', '{ agents { totalCount @skip(if: true) } }', 'listAgents does not answer “agents.totalCount”.'],
  ])('with %s equals none', async (_what, query, none) => {
    expect(await equal(query)).toEqual({ none });
  });

  test('that is not one is refused, and one that multiplies itself is not followed', async () => {
    expect((await translate('request', { query: '{' })).status).toBe(400);
    expect((await translate('request', { query: `#${'x'.repeat(100_000)}` })).status).toBe(413);
    const aliases = (name: string) => Array.from({ length: 90 }, (_, at) => `a${at}: ${name}`).join(' ');
    const query = `query ($id: ID!) { agent(id: $id) { ${aliases('conversations { ...N }')} } }
      fragment N on ConversationConnection { ${aliases('nodes { ...L }')} } fragment L on Conversation { ${aliases('lead { ...F }')} }
      fragment F on Lead { ${aliases('name')} }`;
    // Without a limit, the comparison would outlast the test.
    expect((await equal(query, { id: 'x' })).none).toMatch(/does not answer/);
  });
});

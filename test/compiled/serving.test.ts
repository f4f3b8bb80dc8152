import { beforeAll, describe, expect, test } from 'vitest';
import { getDatamodel, schema } from '../../schema/index.ts';
import { createApp } from '../../src/app.ts';
import { newId } from '../../src/database/ids.ts';
import { createExecution } from '../../src/graphql/run.ts';
import { receiveFetch } from '../../src/http/received.ts';
import { modelsOf } from '../../src/lists/sql/models.ts';
import { createRest } from '../../src/rest/endpoint.ts';
import { routes } from '../../src/rest/routes.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { isServed } from '../support/database/cluster-limits.ts';
import { statementsOf } from '../support/database/database.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
let world: World;

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  world = await makeWorld(gateway);
});

const query = '{ agents(first: 2) { totalCount nodes { id name conversations(first: 1) { nodes { title } } } } }';

describe('an answer of a compiled query', () => {
  test.each([
    undefined,
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json',
    'application/graphql-response+json, application/json;q=0.9',
    'application/json, application/graphql-response+json',
    'text/html',
    'text/event-stream',
  ])('has the status and headers that Yoga gives when %s is accepted', async (accept) => {
    const { compiled, resolvers } = await bothWays.ask(world.viewer, { query }, accept ? { accept } : {});
    expect({ ...compiled, served: false }).toEqual(resolvers);
    expect(compiled.served).toBe(accept === undefined || !accept.startsWith('text/'));
  });

  test.each(['Application/JSON', 'application/JSON; Charset=UTF-8'])('knows JSON sent as %s', async (contentType) => {
    const { compiled, resolvers } = await bothWays.ask(world.viewer, { query }, { 'content-type': contentType });
    expect([resolvers.status, resolvers.body]).toEqual([200, compiled.body]);
  });

  test('is one statement', async () => {
    await bothWays.ask(world.viewer, { query });
    const { result, statements } = await statementsOf(() => bothWays.ask(world.viewer, { query }));
    expect(result.compiled.served).toBe(true);
    expect(statements.filter((text) => text.includes('SELECT \'{"data"'))).toHaveLength(1);
  });

  test('names the operation that is asked for among several', async () => {
    const several = `query A { agents(first: 1) { totalCount } } query B { leads(first: 1) { totalCount } }`;
    for (const operationName of ['A', 'B']) {
      const { compiled, resolvers } = await bothWays.ask(world.viewer, { query: several, operationName });
      expect(compiled.body).toBe(resolvers.body);
      expect(compiled.served).toBe(true);
    }
  });
});

describe('is left to the resolvers', () => {
  test.each([
    ['a mutation', { query: 'mutation { updateProfile(input: {}) { viewer { role } } }' }],
    ['a document that does not parse', { query: '{ agents(' }],
    ['a document that does not fit', { query: '{ nothing }' }],
    ['an unknown operation', { query, operationName: 'Other' }],
    ['no one operation of several', { query: 'query A { __typename } query B { __typename }' }],
    ['what no row says', { query: '{ viewer { role } models { id } }' }],
    ['a dry run', { query: '{ rateLimit(dryRun: true) { cost } agents { totalCount } }' }],
    [
      'a dry run by a variable',
      {
        query: 'query ($dry: Boolean!) { rateLimit(dryRun: $dry) { cost } agents { totalCount } }',
        variables: { dry: true },
      },
    ],
    ['a wrong variable', { query: 'query ($n: Int!) { agents(first: $n) { totalCount } }', variables: { n: 'x' } }],
    ['an operation that is too large', { query: large() }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
  ])('%s', async (_what, body) => {
    const { compiled, resolvers } = await bothWays.ask(world.viewer, body);
    expect(compiled).toEqual(resolvers);
  });

  test.each([
    '',
    '[]',
    'null',
    '"text"',
    '{"query": 1}',
    '{"query": "{ __typename }", "more": 1}',
    '{',
    '[{"query":"{ __typename }"}]',
  ])('the body %s', async (body) => {
    const { compiled, resolvers } = await bothWays.ask(world.viewer, body);
    expect(compiled).toEqual(resolvers);
  });
});

function large(): string {
  return `{ ${Array.from({ length: 1_001 }, (_, at) => `f${at}: __typename`).join(' ')} }`;
}

describe('REST', () => {
  const addresses = (): Record<string, string[]> => {
    const { agentId, baseId, membershipId, appId, pluginId } = world.ids;
    const conversations = `/rest/conversations/list/${agentId}`;
    return {
      listAgents: ['/rest/agents', '/rest/agents/', '/rest/agents?page=2&size=1&search=%61', '/rest/agents?page=9'],
      listConversations: [conversations, `${conversations}?size=1`, `${conversations}?createdAt=2020-01-01/..&page=3`],
      listFields: ['/rest/fields', '/rest/fields?search=nothing'],
      readCredential: [`/rest/credentials?agentId=${agentId}&pluginId=${pluginId}`],
      readUsage: ['/rest/interactions'],
      listBases: ['/rest/bases', '/rest/bases?search=a+b'],
      readBase: [`/rest/bases/${baseId}`],
      listApps: ['/rest/apps'],
      readRole: [`/rest/roles/${membershipId}/${appId}`, `/rest/roles/${membershipId}/none`],
      listSubscriptions: ['/rest/subscriptions'],
      listMemberships: ['/rest/memberships', '/rest/memberships?search=nobody'],
      readTerms: ['/rest/terms'],
      listCopywriting: ['/rest/copywriting/prompt', '/rest/copywriting/prompt?limit=1', '/rest/copywriting/none'],
    };
  };
  const both = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const { compiled, resolvers } = await bothWays.request(world.owner, path, { method, headers });
    const length = compiled.headers['content-length'] ?? String(Buffer.byteLength(compiled.body));
    expect(length, path).toBe(String(Buffer.byteLength(compiled.body)));
    expect({ ...compiled, served: false }, path).toEqual(resolvers);
    return compiled;
  };

  const reads = routes.filter(({ method }) => method === 'get').map(({ id }) => id);
  test.each(reads)('%s gives the same bytes with compiled queries and without', async (id) => {
    const paths = addresses()[id] ?? [];
    expect(paths).not.toEqual([]);
    for (const path of paths) {
      const { status, served } = await both(path);
      expect([path, status, served]).toEqual([path, 200, true]);
    }
  });

  test('reads a list of several pages whole', async () => {
    const row = { workspaceId: world.id, appId: 'portal', priceId: 'p', status: 'ended' as const };
    const data = Array.from({ length: 1_001 }, () => ({ ...row, id: newId('subscription') }));
    await gateway.database.subscription.createMany({ data });
    const { body, served } = await both('/rest/subscriptions');
    expect([JSON.parse(body).length > 1_001, served]).toEqual([true, true]);
  });

  test('cannot be led astray by what rows say', async () => {
    const name = '\u001e0 \u001e1[] \u0001 \u001f \u0002 "}],"data":';
    await gateway.database.agent.updateMany({ where: { id: world.ids.agentId }, data: { name } });
    const { body, served } = await both('/rest/agents');
    expect([JSON.parse(body).data.some((agent: { name: string }) => agent.name === name), served]).toEqual([
      true,
      true,
    ]);
  });

  test.each([
    ['createLead', 'POST', '/rest/leads', { name: 'Ana', email: 'Ana@Example.com', utm: { source: 'a' } }],
    ['createChannel', 'POST', '/rest/agents/{agentId}/channels', { platform: 'widget' }],
    ['updateDocument', 'PUT', '/rest/documents/{documentId}', { name: 'New', kbs: [1, { a: 'b' }] }],
    ['enableField', 'PUT', '/rest/fields/{disabledFieldId}/enable', undefined],
  ] as const)(
    '%s answers what it wrote, the same with compiled queries and without',
    async (_id, method, path, body) => {
      const address = path.replace(/\{(\w+)\}/, (_, name: keyof World['ids']) => world.ids[name]);
      const headers = { 'content-type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const { compiled, resolvers } = await bothWays.request(world.owner, address, init);
      const told = (text: string) =>
        text
          .replaceAll(/"id":"[a-z]{3}_\w{26}"/g, '"id":…')
          .replaceAll(/"(created|updated)At":"[\d-]{10}T[\d:.]{12}Z"/g, '"$1At":…');
      expect([compiled.status, told(compiled.body)]).toEqual([200, told(resolvers.body)]);
      expect(compiled.served).toBe(isServed(compiled));
    },
  );

  test('does not try a write again whose outcome is not known', async () => {
    const lost = () => Promise.reject(new Error('The connection was lost.'));
    const compiled = { answer: lost, pick: () => lost, once: lost };
    const { services } = gateway;
    const { handler } = createRest(routes, services, {
      prepare: createExecution(schema, services, compiled).prepare,
      stream: lost,
      identify: async () => world.owner,
    });
    const headers = { 'content-type': 'application/json' };
    for (const key of [{}, { 'idempotency-key': 'lost' }] as Record<string, string>[]) {
      const init = { method: 'POST', body: '{"name": "Ana Lost"}', headers: { ...headers, ...key } };
      const raw = new Request('http://localhost/rest/leads', init);
      const { received } = receiveFetch({ env: {}, req: { raw, path: '/rest/leads' } });
      expect(await handler(received, {})).toMatchObject({ status: 500 });
    }
    expect(await gateway.database.lead.count({ where: { name: 'Ana Lost' } })).toBe(0);
  });

  test('tells of strict handling', async () => {
    const { headers, served } = await both('/rest/agents', { prefer: 'handling=strict' });
    expect([headers['preference-applied'], served]).toEqual(['handling=strict', true]);
  });

  test.each([
    ['/rest/agents?pag=1', 'GET'],
    ['/rest/copywriting/a%20b', 'GET'],
    ['/rest/agents', 'HEAD'],
  ])('does so for unusual requests too: %s %s', async (path, method) => {
    expect(await both(path, {}, method)).toMatchObject({ status: 200, served: true });
  });

  test('leaves to the resolvers what is a failure', async () => {
    const cases: [path: string, status: number, headers?: Record<string, string>, method?: string][] = [
      ['/rest/agents?page=0', 400],
      ['/rest/agents?page=1&page=2', 400],
      ['/rest/agents?pag=1', 400, { prefer: 'handling=strict' }],
      ['/rest/agents', 405, {}, 'DELETE'],
      ['/rest/conversations/list/agt_00000000000000000000000000', 404],
      ['/rest/bases/nothing', 404],
      ['/rest/copywriting/prompt?cursor=nonsense', 400],
    ];
    for (const [path, status, headers, method] of cases) {
      const answer = await both(path, headers, method);
      expect([path, answer.status, answer.served]).toEqual([path, status, false]);
    }
  });
});

test('what takes longer than a statement may is not asked for once more', async () => {
  const canceled = Object.assign(new Error('canceling statement'), { severity: 'ERROR', code: '57014' });
  const client = { query: (_asked: object, done: (error: Error) => void) => done(canceled) };
  const lease = async () => ({ client, release: () => 0 });
  const pool = { lease, read: (work: (of: object) => unknown) => work({ lease }) };
  const services = { ...gateway.services, pool } as unknown as typeof gateway.services;
  const app = createApp({ ...services, config: { ...services.config, compiledQueries: true } }, async () => null);
  const headers = { authorization: `Bearer ${await gateway.bearer(world.owner)}`, 'content-type': 'application/json' };
  const write = 'mutation { createLead(input: { name: "Late" }) { lead { id } } }';
  const both = '{ __typename agents { totalCount } mine: leads { totalCount } }';
  for (const asked of [query, both, write]) {
    const init = { method: 'POST', headers, body: JSON.stringify({ query: asked }) };
    const answer = await app.request('/graphql', init);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-parley-compiled')]).toEqual([
      503,
      '1',
      '1',
    ]);
    expect(await answer.json()).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: 'unavailable' } }],
    });
  }
  const rest = await app.request('/rest/agents', { headers });
  expect([rest.status, await rest.json()]).toMatchObject([503, { code: 'unavailable' }]);
  expect(await gateway.database.lead.count({ where: { name: 'Late' } })).toBe(0);
});

test('relations are those of the foreign keys of the database', async () => {
  const { rows } = await gateway.handle.pool.query<{ from: string; to: string; pairs: string }>(`
    SELECT c.conrelid::regclass::text AS "from", c.confrelid::regclass::text AS "to",
      (SELECT string_agg(a.attname || '=' || b.attname, ',' ORDER BY k.n) FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(own, other, n)
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own
       JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.other) AS pairs
    FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace`);
  const keys = new Set(rows.map(({ from, to, pairs }) => `${from}→${to} ${pairs}`.replaceAll('"', '')));
  for (const model of modelsOf(getDatamodel()).values()) {
    for (const [name, { model: other, on }] of model.relations) {
      const pairs = (turn: boolean) =>
        on.map(([own, theirs]) => (turn ? `${theirs}=${own}` : `${own}=${theirs}`)).join(',');
      const said = [`${model.name}→${other} ${pairs(false)}`, `${other}→${model.name} ${pairs(true)}`];
      expect(
        said.some((key) => keys.has(key)),
        `${model.name}.${name}: ${said.join(' or ')}`,
      ).toBe(true);
    }
  }
});

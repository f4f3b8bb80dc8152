import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

/** The specification's endpoints, in its order. */
const specified = `
POST /api/{agentId}
GET /rest/agents
POST /rest/agents/{agentId}/channels
GET /rest/conversations/list/{agentId}
POST /rest/leads
DELETE /rest/leads/{id}
GET /rest/fields
POST /rest/fields
PUT /rest/fields/{id}
PUT /rest/fields/{id}/enable
PUT /rest/plugins/{id}
GET /rest/credentials
POST /rest/settings
GET /rest/interactions
GET /rest/bases
POST /rest/bases
GET /rest/bases/{id}
PUT /rest/bases/{id}
DELETE /rest/bases/{id}
GET /rest/apps
POST /rest/apps
POST /rest/apps/auth
GET /rest/roles/{membershipId}/{appId}
GET /rest/subscriptions
GET /rest/memberships
GET /rest/terms
GET /rest/copywriting/{promptId}
PUT /rest/documents/{documentId}`;

test('the operations are the 28 of the specification', () => {
  const served = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(served.toSorted()).toEqual(specified.trim().split('\n').toSorted());
});

const operations = routes.map((route) => {
  const method = route.method.toUpperCase();
  return { ...route, method, title: `${method} ${route.path}`, address: route.path.replaceAll(/\{\w+\}/g, 'some-id') };
});

const paths = [...Map.groupBy(operations, ({ address }) => address)];

describe.each(paths)('%s', (address, sharing) => {
  const methods = sharing.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];

  test('answers 405 with Allow to other methods, whoever asks', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !methods.includes(name))) {
      for (const bearer of [null, home.viewer]) {
        const answer = await gateway.rest(bearer, method, address);
        expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed']);
        expect(answer.headers.get('allow')?.split(', ')).toEqual(allow);
      }
    }
  });

  test('tells its methods to OPTIONS', async () => {
    const answer = await gateway.rest(null, 'OPTIONS', address);
    expect([answer.status, answer.headers.get('allow')?.split(', ')]).toEqual([204, allow]);
  });

  test('is the same with a slash at its end', async () => {
    const answer = await gateway.rest(null, methods[0] ?? '', `${address}/`);
    expect(answer.body.code).toBe('unauthorized');
  });
});

describe('a path', () => {
  test.each([
    '/rest',
    '/rest/',
    '/rest/nothing',
    '/api',
    '/api/',
    '/rest/agents/x',
    '/rest/leads/a/b',
    '/rest//agents',
    '/REST/agents',
  ])('that is not known, %s, is 404 in the error shape', async (path) => {
    const answer = await gateway.rest(home.viewer, 'GET', path);
    expect([answer.status, Object.keys(answer.body), answer.body.code]).toEqual([
      404,
      ['message', 'code'],
      'not_found',
    ]);
  });

  test.each(['%', '%zz', '%E0%A4', '%00', '%0a', 'a%2Fb', '%2e%2e%2f', '%F0%9F%98%80', '%25', 'x'.repeat(4_000)])(
    'with the odd part %j is a failure of the caller',
    async (part) => {
      for (const [method, path] of [
        ['GET', `/rest/bases/${part}`],
        ['DELETE', `/rest/leads/${part}`],
        ['PUT', `/rest/fields/${part}/enable`],
        ['GET', `/rest/conversations/list/${part}`],
      ] as const) {
        const answer = await gateway.rest(home.owner, method, path);
        expect([400, 404]).toContain(answer.status);
        expect(answer.body).toMatchObject({ message: expect.any(String), code: expect.any(String) });
      }
      for (const path of [`/rest/roles/${part}/${part}`, `/rest/copywriting/${part}`]) {
        expect([200, 400]).toContain((await gateway.rest(home.owner, 'GET', path)).status);
      }
    },
  );

  test('is decoded once', async () => {
    const promptId = 'a/b %25 ünï?&+';
    const data = { promptId, completionId: 'c', content: 'x', workspaceId: home.id };
    await gateway.database.copy.create({ data: { ...data, id: 'cpy_00000000000000000000000001' } });
    const answer = await gateway.rest(home.viewer, 'GET', `/rest/copywriting/${encodeURIComponent(promptId)}`);
    expect(answer.body.data).toMatchObject([{ promptId }]);
  });
});

test('HEAD answers what GET does, without the body', async () => {
  const [get, head] = [
    await gateway.rest(home.viewer, 'GET', '/rest/agents?pag=1'),
    await gateway.rest(home.viewer, 'HEAD', '/rest/agents?pag=1'),
  ];
  expect([head.status, head.body]).toEqual([200, undefined]);
  for (const name of ['content-type', 'warning']) expect(head.headers.get(name)).toBe(get.headers.get(name));
  expect((await gateway.rest(null, 'HEAD', '/rest/agents')).status).toBe(401);
  expect((await gateway.rest(null, 'HEAD', '/rest/leads')).status).toBe(405);
});

describe('the OpenAPI description', () => {
  type Json = { [key: string]: Json } & { description?: string; properties?: Record<string, Json>; example?: Json };
  const text = readFileSync('openapi.json', 'utf8');
  const description = JSON.parse(text) as Json;

  test('is what the gateway serves', async () => {
    expect((await gateway.rest(null, 'GET', '/openapi.json')).body).toEqual(description);
  });

  test('describes every property of every body', () => {
    const silent: string[] = [];
    const walk = (value: Json, path: string) => {
      for (const [name, property] of Object.entries(value.properties ?? {})) {
        if (!property.description && !property.$ref) silent.push(`${path}.${name}`);
      }
      // Beside properties, these only limit them.
      for (const [key, inner] of Object.entries(value))
        if (value.properties && ['anyOf', 'oneOf', 'allOf'].includes(key)) continue;
        else if (inner && typeof inner === 'object') walk(inner, `${path}.${key}`);
    };
    walk(description, '');
    expect(silent).toEqual([]);
  });

  test.each(operations)('holds the GraphQL document of $title, and an example of its body that is valid', (route) => {
    const operation = description.paths?.[route.path]?.[route.method.toLowerCase()] as Json;
    expect(operation['x-graphql-document']).toContain(' {\n');
    const example = operation.requestBody?.content?.['application/json']?.example;
    if (route.body) expect(route.body.safeParse(example).error).toBeUndefined();
  });
});

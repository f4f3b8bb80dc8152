import { generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { contentsOf } from '../support/database/rows-of.ts';
import { useGateway } from '../support/gateway/app.ts';
import { documentOf, rootFields, roots } from '../support/graphql/shape.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let held: Record<string, string>;
/** Authorization headers that identify no caller, each with the expected error code. */
let broken: [name: string, header: string | null, code: string][];

beforeAll(async () => {
  world = await makeWorld(gateway);
  held = await contentsOf(gateway, world.id);
  const [header, payload, signature] = (await gateway.bearer(world.owner)).split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { privateKey } = await generateKeyPair('ES256');
  const protectedHeader = JSON.parse(Buffer.from(header, 'base64url').toString());
  broken = [
    ['none', null, 'unauthorized'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'unauthorized'],
    ['garbage', 'Bearer garbage', 'unauthorized'],
    ['alg none', `Bearer ${encode({ ...protectedHeader, alg: 'none' })}.${payload}.`, 'unauthorized'],
    [
      'a stranger’s signature',
      `Bearer ${await new SignJWT(claims).setProtectedHeader(protectedHeader).sign(privateKey)}`,
      'unauthorized',
    ],
    [
      'other claims',
      `Bearer ${header}.${encode({ ...claims, role: 'owner', exp: claims.exp + 1 })}.${signature}`,
      'unauthorized',
    ],
    ['an unknown app secret', 'Bearer pas_unknown', 'unauthorized'],
    ['a visitor of a widget', `Bearer ${await visitorToken()}`, 'unauthorized'],
    ['an expired token', `Bearer ${await expiredToken()}`, 'token_expired'],
  ];
});

async function expiredToken(): Promise<string> {
  const { workspaceId, userId, membershipId } = world.owner;
  const token = await gateway.services.tokens.sign(
    { workspaceId, userId: userId ?? '', membershipId: membershipId ?? '', role: 'owner', credential: 'person' },
    1,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  return token;
}

/** A widget visitor's token for the world's channel, which is valid under /widget only. */
function visitorToken(): Promise<string> {
  const { workspaceId, channelId, agentId } = world.ids;
  const visitor = { workspaceId, channelId, agentId, visitorId: 'vst_1', publishableToken: 'pub_1' };
  return gateway.services.tokens.visitors.sign(visitor);
}

/** Sends a request with each broken bearer and expects 401, its code, and a challenge. */
async function expectRefused(
  path: string,
  init: { method: string; headers?: Record<string, string>; body?: string },
): Promise<void> {
  for (const [name, authorization, code] of broken) {
    const headers = { ...init.headers, ...(authorization !== null && { authorization }) };
    const response = await gateway.app.request(path, { ...init, headers });
    const body = (await response.json()) as { errors?: [{ extensions: object }] };
    const { message: _, ...failure } = (body.errors?.[0].extensions ?? body) as { message?: string };
    expect({ name, status: response.status, ...failure }).toEqual({ name, status: 401, code });
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
}

const json = { 'content-type': 'application/json' };

describe('without a true bearer nothing is answered by', () => {
  const fields = roots.flatMap((root) =>
    rootFields(root).map((field) => [`${root} ${field.name}`, documentOf(root, field, 0), field.name] as const),
  );
  test.each(fields)('%s', async (_, query, name) => {
    const variables = { input: inputs[name]?.(world.ids) };
    await expectRefused('/graphql', { method: 'POST', headers: json, body: JSON.stringify({ query, variables }) });
  });

  test.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'REST %s',
    async (id, { method, path }) => {
      const { path: values, query, body } = requests[id]?.(world.ids) ?? {};
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values?.[name] ?? '');
      await expectRefused(`${address}?${new URLSearchParams(query).toString()}`, {
        method,
        headers: body ? json : {},
        ...(body && { body: JSON.stringify(body) }),
      });
    },
  );

  test('GET /graphql', async () => {
    await expectRefused('/graphql?query={__typename}', { method: 'GET' });
  });

  test('a broken request: the bearer is looked at first', async () => {
    await expectRefused('/graphql', { method: 'POST', headers: json, body: '{' });
    for (const { method, path } of operations) {
      if (method === 'POST') await expectRefused(path, { method, headers: json, body: '{' });
    }
  });
});

test('every operation of the description says so', () => {
  const told = operations.map(({ operationId, security, responses }) => ({
    operationId,
    security,
    told: '401' in responses,
  }));
  expect(told).toEqual(told.map(({ operationId }) => ({ operationId, security: [{ bearer: [] }], told: true })));
});

test('what was refused changed nothing', async () => {
  expect(await contentsOf(gateway, world.id)).toEqual(held);
});

describe('the secret of an app is a bearer for', () => {
  test('the graph', async () => {
    expect(await gateway.data(world.app, '{ viewer { role app { id } user { id } } }')).toEqual({
      viewer: { role: 'app', app: { id: 'portal' }, user: null },
    });
  });

  const readable = operations.filter(({ method }) => method === 'GET');
  test.each(readable.map((operation) => [operation.operationId, operation] as const))(
    'REST %s',
    async (id, operation) => {
      const { status, body } = await call(gateway, world.app, operation, requests[id]?.(world.ids) ?? {});
      expect({ status, body }).toMatchObject({ status: 200 });
    },
  );
});

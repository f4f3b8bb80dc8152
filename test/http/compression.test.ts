import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
let server: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  home = await makeWorld(gateway);
  const { workspaceId } = home.owner;
  const rows = Array.from({ length: 60 }, (_, n) => ({
    id: `led_compression${String(n).padStart(15, '0')}`,
    workspaceId,
    name: `Lead ${n} with a name that repeats itself itself itself`,
  }));
  await gateway.database.lead.createMany({ data: rows });
  for (let n = 0; n < 20; n++) await makeAgent(gateway, home.owner);
  const { app } = gateway as unknown as { app: Parameters<typeof listen>[2] & { fetch: Parameters<typeof listen>[0] } };
  server = await listen(app.fetch, { host: '127.0.0.1', port: 0 }, { pipeline: app.pipeline });
});
afterAll(() => server.close(1_000));

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; bytes: Buffer };

/** Sends a request without automatic decompression. */
async function send(path: string, headers: Record<string, string>, body?: string): Promise<Raw> {
  const authorization = `Bearer ${await gateway.bearer(home.owner)}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}${path}`,
      { method: body ? 'POST' : 'GET', headers: { authorization, 'content-type': 'application/json', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
        );
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

const operation = (first: number) =>
  JSON.stringify({ query: `{ leads(first: ${first}) { nodes { id name createdAt } } }` });
// Compiled queries leave an operation with introspection to the resolvers.
const byResolvers = JSON.stringify({
  query: '{ __typename leads(first: 60) { nodes { __typename id name workspace { name } } } }',
});
const large: [string, string, string | undefined][] = [
  ['GraphQL by a compiled query', '/graphql', operation(60)],
  ['GraphQL by the resolvers', '/graphql', byResolvers],
  ['REST', '/rest/agents', undefined],
  ['the OpenAPI description', '/openapi.json', undefined],
];

describe.each(large)('%s', (_, path, body) => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is sent as %s to whoever accepts it, and is the same', async (coding, decompress) => {
    const plain = await send(path, {}, body);
    const packed = await send(path, { 'accept-encoding': coding }, body);
    expect(plain.status).toBe(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.bytes.length).toBeGreaterThan(4_096);
    expect(packed.headers).toMatchObject({
      'content-encoding': coding,
      'content-length': String(packed.bytes.length),
      'content-type': plain.headers['content-type'],
    });
    expect(packed.headers.vary).toContain('Accept-Encoding');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(decompress(packed.bytes).toString()).toBe(plain.bytes.toString());
  });
});

describe('is sent as it is:', () => {
  const all = { 'accept-encoding': 'gzip, br' };

  test('a small response', async () => {
    expect((await send('/graphql', all, operation(1))).headers['content-encoding']).toBeUndefined();
  });

  test('an event stream', async () => {
    const query = 'subscription($id: ID!) { newMessages(conversationId: $id) { id } }';
    const body = JSON.stringify({ query, variables: { id: home.ids.conversationId } });
    const reader = new AbortController();
    const stream = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        ...all,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${await gateway.bearer(home.owner)}`,
      },
      body,
      signal: reader.signal,
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.headers.get('content-encoding')).toBe('none');
    reader.abort();
  });

  test('what a client refuses to be sent compressed', async () => {
    for (const refusing of ['identity', 'gzip;q=0, br;q=0', 'zstd']) {
      expect(
        (await send('/openapi.json', { 'accept-encoding': refusing })).headers['content-encoding'],
      ).toBeUndefined();
    }
  });

  test('a row with an ETag, which If-Match compares', async () => {
    const { baseId } = home.ids;
    const description = 'x'.repeat(6_000);
    await gateway.database.base.updateMany({ where: { id: baseId }, data: { description } });
    const row = await send(`/rest/bases/${baseId}`, all);
    expect(row.bytes.length).toBeGreaterThan(4_096);
    expect(row.headers.etag).toMatch(/^"/);
    expect(row.headers['content-encoding']).toBeUndefined();
  });
});

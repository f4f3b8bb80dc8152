import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorBody, type ErrorCode, statusOf } from '../../src/core/errors.ts';
import { describeRest } from '../../src/description.ts';
import { withIds } from '../../src/http/pages/browser/reference-examples.ts';
import type { Examples } from '../../src/rest/openapi/examples.ts';
import { errorCodesOf } from '../../src/rest/openapi/failures.ts';
import { resumeChat } from '../../src/rest/openapi/resume.ts';
import { routes } from '../../src/rest/routes.ts';
import { type Described, type ExampleWorld, exampleOf, openExampleWorld, send } from '../support/rest/example-world.ts';
import { examplesFrom, normalizer, shortened } from '../support/rest/normalized-examples.ts';
import { isAfterwards, keyOf, provoke } from '../support/rest/provoked-errors.ts';

/** Reads first, then writes, then deletions, so that each finds its rows. */
const rank = { get: 0, post: 1, put: 2, delete: 3 };
const operations: Described[] = [resumeChat as Described, ...routes].toSorted(
  (a, b) => rank[a.method] - rank[b.method],
);

const described = describeRest() as { paths: Record<string, Record<string, Record<string, unknown>>> };
let world: ExampleWorld;
let normalized: ReturnType<typeof normalizer>;
const responses: Examples['responses'] = {};
const failures = new Map<string, Partial<Record<ErrorCode, ErrorBody>>>();
beforeAll(async () => {
  world = await openExampleWorld();
  normalized = normalizer(world.ids);
});
afterAll(() => world?.close());

describe.each(operations.map((operation) => ({ id: operation.id, operation })))('$id', ({ id, operation }) => {
  const codes = errorCodesOf(operation);
  const own: Partial<Record<ErrorCode, ErrorBody>> = {};
  failures.set(id, own);
  const record = async (code: ErrorCode) => {
    const { status, body } = await provoke(world, operation, code);
    expect([status, body?.code], JSON.stringify(body)).toEqual([statusOf[code], code]);
    own[code] = normalized(body);
  };

  test.each(codes.filter((code) => !isAfterwards(operation, code)))('can fail with %s', record);

  test('answers its example, with ids of the workspace', async () => {
    const request = exampleOf(operation, world.ids);
    const headers = operation.method === 'get' ? request.headers : { 'idempotency-key': keyOf(operation) };
    const { status, body } = await send(world.gateway, world.owner, { ...request, headers });
    expect(status, JSON.stringify(body)).toBe(id === 'resumeChat' ? 204 : 200);
    if (body !== undefined) responses[id] = shortened(normalized(body));
  });

  // `resumeChat` is no route, so GraphiQL does not translate it.
  test.skipIf(id === 'resumeChat')('is shown with the GraphQL operation that it runs', async () => {
    const { method, path, query, body, headers } = exampleOf(operation, world.ids);
    const asked = { method, headers: { ...headers, 'content-type': 'application/json' } };
    const url = `${path}?${new URLSearchParams(query)}`;
    const sent = { ...asked, url, body: body === undefined ? '' : JSON.stringify(body) };
    const translated = await world.gateway.rest(world.owner, 'POST', '/graphiql/rest/operation', sent);
    const shown = described.paths[operation.path]?.[operation.method];
    const variables = JSON.parse(withIds(JSON.stringify(shown?.['x-graphql-variables'] ?? null), world.ids));
    expect(translated.body).toMatchObject({ id, query: shown?.['x-graphql-document'], variables });
  });

  test.each(codes.filter((code) => isAfterwards(operation, code)))('can fail with %s afterwards', record);
});

test('openapi.json has these responses as its examples (vitest -u records them, npm run print prints them)', async () => {
  const examples = examplesFrom(responses, failures);
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot('../../src/rest/openapi/examples.json');
});

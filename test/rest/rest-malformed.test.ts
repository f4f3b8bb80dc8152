import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ErrorBody, statusOf } from '../../src/core/errors.ts';
import { routes } from '../../src/rest/routes.ts';
import { type RestAnswer, useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { anyCharacter } from '../support/random/characters.ts';
import { call, type JsonSchema, operations, requests, resolved } from '../support/rest/operations.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
beforeAll(async () => {
  home = await makeWorld(gateway);
});

type Path = (string | number)[];

/** A value with every key of a schema, so that the test tries each. */
function sample(given: JsonSchema & { enum?: unknown[] }): unknown {
  const schema = resolved(given) as typeof given;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return sample(schema.anyOf[0]);
  const entries = Object.entries(schema.properties ?? {}).map(([key, value]) => [key, sample(value)]);
  if (entries.length > 0) return Object.fromEntries(entries);
  const types = [schema.type].flat();
  if (types.includes('array')) return [sample(schema.items ?? {})];
  if (types.includes('object')) return {};
  if (types.includes('boolean')) return true;
  return types.includes('number') || types.includes('integer') ? 1 : 'x';
}

/** Every path in a value, including the root. */
function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]));
  return [path, ...inner];
}

function replaceAt(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaceAt(copy[key], rest, other);
  return copy;
}

const odd = fc.oneof(
  fc.anything(),
  fc.constantFrom(
    null,
    '',
    ' ',
    [],
    {},
    [[]],
    true,
    0,
    -1,
    0.1,
    1e308,
    2 ** 53,
    'x'.repeat(3_000),
    '2026-99-99',
    '__proto__',
  ),
  fc.constantFrom('\u0000', '\ud800', '%', "'; --", '{{}}', 'data:,', 'http://[', { $ref: '#' }, { constructor: 1 }),
  fc.string({ unit: anyCharacter }),
);
const oddText = fc.oneof(
  fc.string({ unit: anyCharacter }).map((text) => text.toWellFormed()),
  fc.constantFrom('0', '-1', '1e9', '\u0000', '..', '%'),
);

/** Expects a success that matches its schema strictly, or a client error in the error shape. */
function expectSane(id: string, { status, body }: RestAnswer): void {
  const route = routes.find((one) => one.id === id);
  if (status === 200) return expect(route?.response.parse(body)).toStrictEqual(body);
  const { message, code, issues = [], ...rest } = body as ErrorBody;
  expect({ status, rest }).toEqual({ status: statusOf[code], rest: {} });
  expect(status).toBeLessThan(500);
  for (const text of [message, ...issues.map((issue) => issue.message)]) expect(text).toMatch(/\S/);
}

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s answers whatever is sent in its own shape or in the error shape',
  async (id, operation) => {
    const valid = requests[id]?.(home.ids) ?? {};
    const schema = operation.requestBody?.content['application/json'].schema;
    const full = schema && { ...(sample(schema) as object), ...valid.body };
    const query = Object.fromEntries(
      (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => [name, '']),
    );

    const property = fc.asyncProperty(
      fc.boolean(),
      fc.nat(),
      odd,
      oddText,
      fc.nat(20),
      async (whole, place, value, text, what) => {
        const given = whole ? full : valid.body;
        const places = placesOf(given);
        const body = given && replaceAt(given, places[place % places.length] ?? [], value);
        // Sometimes the path is odd too, or the body is not JSON. Dots alone would lead to another path.
        const part = /^\.{0,2}$/.test(text) ? 'x' : text;
        const path =
          what === 0 ? Object.fromEntries(Object.keys(valid.path ?? {}).map((name) => [name, part])) : valid.path;
        const asked = what % 2 === 0 ? Object.fromEntries(Object.keys(query).map((name) => [name, text])) : valid.query;
        const sent = given && (what === 1 ? text : toJson(body));
        expectSane(id, await call(gateway, home.owner, operation, { path, query: asked, body: sent as never }));
      },
    );
    await fc.assert(property, { numRuns: casesOf(schema ? 150 : 30) });
  },
);

/** The value as JSON, or a placeholder if it has none. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '{';
  }
}

const long = (length: number) => 'x'.repeat(length);
const chat = (message: object, more: object = {}) => ['POST', '/api/{agentId}', { message, ...more }] as const;
const image = { type: 'image', url: 'https://x.example/a.png', size: -1 };

describe('what is wrong with a value is said in plain words:', () => {
  test.each([
    ['message.name: must have at most 200 characters', ...chat({ content: 'x', name: long(201) })],
    [
      'platformUserIdentifier: must have at most 500 characters',
      ...chat({ content: 'x' }, { platformUserIdentifier: long(501) }),
    ],
    [
      'tools.0.description: must have at most 4,000 characters',
      ...chat({ content: 'x' }, { tools: [{ name: 'a', description: long(4_001) }] }),
    ],
    ['message.attachments.0.size: must be 0 or more', ...chat({ content: 'x', attachments: [image] })],
    ['url: must be an http or https address, or empty', 'PUT', '/rest/plugins/{pluginId}', { url: 'nope' }],
    [
      'settingsUrl: must be an http or https address, or empty',
      'PUT',
      '/rest/plugins/{pluginId}',
      { settingsUrl: 'a:b' },
    ],
    ['color: must be a hex color such as #2563eb', 'POST', '/rest/apps', { id: 'x', name: 'x', color: 'red' }],
    ['stats.words: must be a number', 'PUT', '/rest/documents/{documentId}', { stats: { words: 'many' } }],
  ])('%s', async (sentence, method, path, body) => {
    const filled = path.replace(/\{(\w+)\}/, (_, name: string) => home.ids[name as keyof World['ids']]);
    const answer = await gateway.rest(home.owner, method, filled, body);
    expect([answer.status, answer.body.message]).toEqual([400, sentence]);
  });

  test('an address for mail in the graph too', async () => {
    const create = 'mutation ($input: CreatePluginInput!) { createPlugin(input: $input) { plugin { id } } }';
    const input = { nameForHuman: 'x', nameForModel: 'x', contactEmail: 'nope' };
    const { errors } = await gateway.graphql(home.owner, create, { input });
    expect(errors?.[0]?.message).toBe('contactEmail: must be an email address, or empty');
  });
});

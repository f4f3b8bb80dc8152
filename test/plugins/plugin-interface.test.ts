import { describe, expect, test } from 'vitest';
import { argumentIssues } from '../../src/plugins/call-operation.ts';
import { readInterface } from '../../src/plugins/read-interface.ts';

const at = 'https://docs.example.com/v1/openapi.yaml';
const describeApi = (paths: object, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Api', version: '2' }, paths, ...more });
const operationsOf = (paths: object, more: object = {}) => readInterface(describeApi(paths, more), at).operations;
const only = (paths: object, more: object = {}) => {
  const [operation, ...others] = operationsOf(paths, more);
  expect(others).toEqual([]);
  return operation as NonNullable<typeof operation>;
};

describe('a description is read', () => {
  test('from YAML of OpenAPI 3.0, where null is a word of its own', () => {
    const yaml = `
openapi: 3.0.3
info: {title: Shop, version: "1.0"}
servers: [{url: "/{base}/", variables: {base: {default: api}}}]
paths:
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      operationId: get-order
      summary: Get an order
      parameters:
        - {name: note, in: query, schema: {type: string, nullable: true}}
`;
    const { title, operations } = readInterface(yaml, at);
    expect(title).toBe('Shop');
    expect(operations).toMatchObject([
      {
        name: 'get-order',
        description: 'Get an order',
        method: 'GET',
        url: 'https://docs.example.com/api/orders/{id}',
        arguments: {
          properties: { id: { type: 'string' }, note: { type: ['string', 'null'] } },
          required: ['id'],
          additionalProperties: false,
        },
      },
    ]);
  });

  test('from Swagger 2.0', () => {
    const swagger = {
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'api.example.com',
      basePath: '/v2',
      schemes: ['https'],
      paths: {
        '/things': {
          post: {
            consumes: ['application/json'],
            parameters: [{ in: 'body', name: 'thing', required: true, schema: { $ref: '#/definitions/Thing' } }],
          },
        },
      },
      definitions: { Thing: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    };
    const [operation] = readInterface(JSON.stringify(swagger), at).operations;
    expect(operation).toMatchObject({
      name: 'post_things',
      url: 'https://api.example.com/v2/things',
      body: { kind: 'json', from: ['name'] },
      arguments: { required: ['name'] },
    });
  });

  test('into tools whose names are unique, and that every model takes', () => {
    const long = 'x'.repeat(80);
    const names = operationsOf({
      '/a': { get: { operationId: 'list things!' }, post: { operationId: 'list/things' } },
      '/b/{c}': { get: { parameters: [{ name: 'c', in: 'path', schema: {} }] } },
      '/c': { get: { operationId: long }, post: { operationId: long } },
    }).map(({ name }) => name);
    expect(names).toEqual(['list_things', 'list_things_2', 'get_b_c', 'x'.repeat(64), `${'x'.repeat(62)}_2`]);
  });

  test.each([
    ['not text that can be read', '{"openapi": ', /neither valid JSON nor valid YAML/],
    ['a web page', '<!doctype html><title>Not found</title>', /neither valid JSON|no OpenAPI/],
    ['another JSON', '{"data": []}', /no "openapi"/],
    ['a version to come', '{"openapi": "4.0.0", "paths": {}}', /OpenAPI 3.0 and 3.1/],
    ['no paths', '{"openapi": "3.1.0"}', /no "paths"/],
    [
      'nothing to call',
      describeApi({ '/a': { get: { requestBody: { required: true, content: { 'image/png': {} } } } } }),
      /image\/png/,
    ],
    [
      'a server that is no address',
      describeApi({ '/a': { get: {} } }, { servers: [{ url: 'file:///etc' }] }),
      /http or https/,
    ],
    [
      'nesting without an end',
      `{"openapi": "3.1.0", "paths": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      /nested too deeply/,
    ],
  ])('or refused: %s', (_what, text, reason) => {
    expect(() => readInterface(text, at)).toThrow(reason);
  });
});

describe('a hostile description costs nothing but itself', () => {
  test('a few lines of YAML that stand for a billion', () => {
    const rows = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`);
    const bomb = `openapi: 3.0.0\npaths: {}\na0: &a0 [x]\n${rows.join('\n')}`;
    expect(() => readInterface(bomb, at)).toThrow('has too many values');
    expect(() => readInterface('openapi: 3.0.0\npaths: &p {"/a": *p}', at)).toThrow('has circular references');
  });

  test('references in a circle, and to a tree that doubles at every step', async () => {
    const schemas: Record<string, object> = {
      Node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        },
      },
      Loop: { $ref: '#/components/schemas/Loop' },
    };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: `#/components/schemas/D${i + 1}` };
      schemas[`D${i}`] = { type: 'object', properties: { left: next, right: next } };
    }
    const body = (name: string) => ({
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
    });
    const description = describeApi(
      { '/node': { post: body('Node') }, '/loop': { post: body('Loop') }, '/tree': { post: body('D0') } },
      { components: { schemas } },
    );
    // Expanded, the tree has 10¹² schemas, and would never end.
    const read = readInterface(description, at);
    const [node, loop] = read.operations;
    expect(node?.arguments.properties).toEqual({ name: { type: 'string' }, children: { type: 'array', items: {} } });
    expect(loop?.arguments.properties).toEqual({ body: {} });
    for (const operation of read.operations) expect(JSON.stringify(operation).length).toBeLessThan(70_000);
  });

  test('references to other addresses and into the prototype are not followed', () => {
    const operation = only({
      '/a': {
        post: {
          parameters: [
            { $ref: 'http://169.254.169.254/parameter.json' },
            { name: '__proto__', in: 'query', schema: {} },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { x: { $ref: 'file:///etc/passwd' }, y: { $ref: '#/constructor/prototype' } },
                },
              },
            },
          },
        },
      },
    });
    expect(operation.parameters).toEqual([]);
    expect(operation.arguments.properties).toEqual({ x: {}, y: {} });
    expect(({} as { schema?: unknown }).schema).toBeUndefined();
  });

  test('a pattern that runs for years is not run', () => {
    const schema = {
      type: 'object',
      properties: { pattern: { type: 'string', pattern: '^(a+)+$' } },
      additionalProperties: false,
    };
    expect(argumentIssues(schema, { pattern: `${'a'.repeat(40)}!` })).toBeNull();
    expect(argumentIssues(schema, { pattern: 1 })).toMatch(/^pattern: /);
  });
});

describe('how an API is authorized', () => {
  const schemes = (securitySchemes: object) =>
    readInterface(describeApi({ '/a': { get: {} } }, { components: { securitySchemes } }), at);
  test('is read from its security schemes', () => {
    expect(schemes({ key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } }).token).toEqual({
      in: 'header',
      name: 'X-Api-Key',
      prefix: '',
    });
    expect(schemes({ b: { type: 'http', scheme: 'Bearer' } }).token).toEqual({
      in: 'header',
      name: 'Authorization',
      prefix: 'Bearer ',
    });
    expect(schemes({}).token).toBeNull();
    const flows = {
      authorizationCode: {
        authorizationUrl: '/authorize',
        tokenUrl: 'https://id.example.com/token',
        scopes: { read: '', write: '' },
      },
    };
    expect(schemes({ key: { type: 'apiKey', in: 'query', name: 'k' }, o: { type: 'oauth2', flows } })).toMatchObject({
      oauth: {
        authorizationUrl: 'https://docs.example.com/authorize',
        tokenUrl: 'https://id.example.com/token',
        scope: 'read write',
      },
      token: { name: 'Authorization' },
    });
  });

  test('and an operation may need no token', () => {
    const security = [{ key: [] }];
    const operations = operationsOf(
      { '/a': { get: {} }, '/b': { get: { security: [] } }, '/c': { get: { security: [{}, { key: [] }] } } },
      { security },
    );
    expect(operations.map(({ authorized }) => authorized)).toEqual([true, false, false]);
  });
});

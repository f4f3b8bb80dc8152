import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../src/plugins/build-request.ts';
import { encodeQuery } from '../../src/plugins/encode-parameter.ts';
import { readInterface } from '../../src/plugins/read-interface.ts';

const address = 'https://api.example.com/openapi.yaml';
const only = (text: string) => {
  const [operation, ...others] = readInterface(text, address).operations;
  expect(others).toEqual([]);
  return operation ?? expect.unreachable('no operation');
};

describe('a description in YAML', () => {
  const rest = 'info: {title: Api, version: 1.0}\npaths: {/a: {get: {responses: {200: {description: Ok}}}}}';
  test.each(['openapi: 3.0', 'openapi: 3.1', 'openapi: 3.0.3', "openapi: '3.0'", 'openapi: 3.10e0', 'swagger: 2.0'])(
    'whose version is written %s is read',
    (version) => {
      expect(only(`${version}\n${rest}`)).toMatchObject({ method: 'GET', url: 'https://api.example.com/a' });
    },
  );

  test.each(['openapi: 4.0', 'openapi: 1', 'swagger: 1.2', 'openapi: true'])('with %s is refused', (version) => {
    expect(() => readInterface(`${version}\n${rest}`, address)).toThrow(/Only OpenAPI/);
  });

  test('may merge keys', () => {
    const { parameters, arguments: schema } = only(`openapi: 3.0.3
info: {title: Api, version: '1'}
x-page: &page
  name: page
  in: query
  schema: &number {type: integer}
x-more: &more {minimum: 1}
paths:
  /a:
    get:
      parameters:
        - <<: *page
        - <<: *page
          name: size
          schema:
            <<: [*number, *more]
            maximum: 50
`);
    expect(parameters.map(({ name }) => name)).toEqual(['page', 'size']);
    expect(schema.properties).toMatchObject({
      page: { type: 'integer' },
      size: { type: 'integer', minimum: 1, maximum: 50 },
    });
  });

  test('keeps words that are no booleans', () => {
    const { arguments: schema } = only(`openapi: 3.0.3
info: {title: Api, version: '1'}
paths: {/a: {get: {parameters: [{name: land, in: query, schema: {type: string, enum: [no, yes, on, off]}}]}}}`);
    expect(schema.properties).toMatchObject({ land: { enum: ['no', 'yes', 'on', 'off'] } });
  });
});

describe('a value in brackets', () => {
  const deep = { name: 'f', style: 'deepObject', explode: true, key: 'f', in: 'query', allowReserved: false } as const;
  test.each([
    [{ a: 1 }, 'f[a]=1'],
    [{ a: { b: 'x' } }, 'f[a][b]=x'],
    [{ a: [1, 2] }, 'f[a]=1&f[a]=2'],
    [{ a: [{ b: 1, c: 2 }, { b: 3 }] }, 'f[a][0][b]=1&f[a][0][c]=2&f[a][1][b]=3'],
    [[{ b: 1 }, { b: 2 }], 'f[0][b]=1&f[1][b]=2'],
    [[1, 2], 'f=1&f=2'],
    ['x', 'f=x'],
    [{}, ''],
    [{ 'a&b': 'c=d' }, 'f[a&b]=c=d'],
  ])('%j', (value, pairs) => {
    expect(
      encodeQuery(deep, value as never)
        .map(decodeURIComponent)
        .join('&'),
    ).toBe(pairs);
  });

  test('is written in a form whose encoding says so', async () => {
    const properties = { items: { type: 'array' }, metadata: { type: 'object' }, note: { type: 'array' } };
    const encoding = { items: { style: 'deepObject', explode: true }, metadata: { style: 'deepObject' } };
    const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties }, encoding } };
    const operation = only(
      JSON.stringify({ openapi: '3.0.3', paths: { '/a': { post: { requestBody: { content } } } } }),
    );
    const args = {
      items: [{ price: 'p&1', quantity: 2 }, { price: 'q' }],
      metadata: { order: '7' },
      note: [{ a: 1 }, 'b'],
    };
    const { body, headers } = await buildRequest(operation, args as never, null);
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(String(body))]).toEqual([
      ['items[0][price]', 'p&1'],
      ['items[0][quantity]', '2'],
      ['items[1][price]', 'q'],
      ['metadata[order]', '7'],
      // What no encoding names is JSON, as OpenAPI has it.
      ['note', '{"a":1}'],
      ['note', 'b'],
    ]);
  });
});

describe('a path with a query', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const q = { name: 'q', in: 'query', schema: { type: 'string' } };
  test.each<[string, object[], string]>([
    ['/search?type=all', [q], '/search?type=all&q=a%26b'],
    ['/search?type=all', [], '/search?type=all'],
    ['/search?q={q}', [q], '/search?q=a%26b'],
    ['/search?type=all&q={q}', [q], '/search?type=all&q=a%26b'],
    ['/search?item={id}', [id], '/search?item=7%2F8'],
    ['/search?item={id}&q={q}', [id, q], '/search?item=7%2F8&q=a%26b'],
    ['/search?unknown={unknown}', [q], '/search?q=a%26b'],
    ['/things/{id}?full', [id, q], '/things/7%2F8?full&q=a%26b'],
    ['/search?', [q], '/search?q=a%26b'],
    ['/#Action=Search', [q], '/?q=a%26b'],
    ['/search#all?x={x}', [q], '/search?q=a%26b'],
  ])('%s', async (path, parameters, expected) => {
    const operation = only(JSON.stringify({ openapi: '3.0.3', paths: { [path]: { get: { parameters } } } }));
    const names = operation.parameters.map(({ key }) => key);
    const args = Object.fromEntries(names.map((name) => [name, name === 'id' ? '7/8' : 'a&b']));
    const { url } = await buildRequest(operation, args, null);
    expect(url).toBe(`https://api.example.com${expected}`);
  });
});

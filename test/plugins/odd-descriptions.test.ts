import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../src/plugins/build-request.ts';
import { api, body, only, read } from '../support/plugins/descriptions.ts';

const swagger = (operation: object, more: object = {}) => ({
  swagger: '2.0',
  host: 'api.example.com',
  paths: { '/a': { post: operation } },
  ...more,
});

describe('Swagger 2.0', () => {
  const list = (collectionFormat?: string) => ({
    name: 'tag',
    in: 'query',
    type: 'array',
    items: { type: 'string' },
    ...(collectionFormat && { collectionFormat }),
  });
  test.each([
    [undefined, 'tag=a%2Cb,c'],
    ['csv', 'tag=a%2Cb,c'],
    ['ssv', 'tag=a%2Cb%20c'],
    ['pipes', 'tag=a%2Cb%7Cc'],
    ['multi', 'tag=a%2Cb&tag=c'],
  ])('writes a list with collectionFormat %s', async (format, expected) => {
    const { url } = await buildRequest(only(swagger({ parameters: [list(format)] })), { tag: ['a,b', 'c'] }, null);
    expect(url).toBe(`https://api.example.com/a?${expected}`);
  });

  test.each([
    ['without schemes, by that of the description', {}, 'https://api.example.com'],
    ['of both schemes, by https', { schemes: ['http', 'https'] }, 'https://api.example.com'],
    ['of http alone', { schemes: ['http'] }, 'http://api.example.com'],
    ['on the server of the description', { host: undefined, basePath: '/v2' }, 'https://docs.example.com/v2'],
  ])('is called %s', (_, more, server) => {
    expect(only(swagger({}, more)).url).toBe(`${server}/a`);
  });

  test('requires the fields of a form that it requires', () => {
    const parameters = ['name', 'note'].map((name) => ({
      name,
      in: 'formData',
      type: 'string',
      required: name === 'name',
    }));
    const { body: form, arguments: schema } = only(
      swagger({ consumes: ['application/x-www-form-urlencoded'], parameters }),
    );
    expect([form?.kind, schema.required]).toEqual(['form', ['name']]);
  });

  test('sends a file as one, with the text that a model writes', async () => {
    const parameters = [
      { name: 'f', in: 'formData', type: 'file', required: true },
      { name: 'a', in: 'formData', type: 'string' },
    ];
    const operation = only(swagger({ consumes: ['multipart/form-data'], parameters }));
    expect(operation.arguments.properties).toMatchObject({ f: { type: 'string' } });
    const { body: bytes, headers } = await buildRequest(operation, { f: 'a,b\n1,2', a: 'x' }, null);
    const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData();
    const file = form.get('f') as File;
    expect([file.name, await file.text(), form.get('a')]).toEqual(['f.txt', 'a,b\n1,2', 'x']);
  });

  test('takes parameters that are defined once', () => {
    const { parameters, body: sent } = only(
      swagger(
        { parameters: [{ $ref: '#/parameters/P' }, { $ref: '#/parameters/B' }] },
        {
          consumes: ['application/vnd.api+json'],
          parameters: {
            P: { name: 'p', in: 'query', type: 'string' },
            B: { name: 'b', in: 'body', schema: { type: 'object', properties: { x: { type: 'string' } } } },
          },
        },
      ),
    );
    expect(parameters.map(({ name }) => name)).toEqual(['p']);
    expect(sent).toMatchObject({ contentType: 'application/vnd.api+json', from: ['x'] });
  });
});

describe('a server', () => {
  test.each<[object[], string]>([
    [[{ url: '' }], 'https://docs.example.com'],
    [[{ url: './' }], 'https://docs.example.com/v1'],
    [[{ url: '../api/' }], 'https://docs.example.com/api'],
    [[{ url: '//api.example.com/v2/' }], 'https://api.example.com/v2'],
    [[{ url: 'wss://a.example' }, { url: 'https://b.example' }], 'https://b.example'],
    [[{ url: 'http://a.example/v1' }, { url: 'https://a.example/v1' }], 'https://a.example/v1'],
    [[{ url: 'http://a.example' }, { url: 'https://b.example' }], 'http://a.example'],
    [
      [{ url: 'https://{r}.example:{p}', variables: { r: { enum: ['eu', 'us'] }, p: { default: 8443 } } }],
      'https://eu.example:8443',
    ],
    [[{ url: 'grpc:a.example' }, { url: 'ftp://{x}' }, { url: '/v2' }], 'https://docs.example.com/v2'],
    [[], 'https://docs.example.com'],
  ])('%j', (servers, expected) => {
    expect(only(api({}, { servers })).url).toBe(`${expected}/a`);
  });

  test.each(['https://{tenant}.example', 'https://a.example:{port}', '{scheme}://a.example', '/{base}', 'https://a b'])(
    '%s is told, and no other is called instead',
    (url) => {
      const servers = [{ url }, { url: 'https://sandbox.example' }];
      expect(() => read(api({}, { servers }))).toThrow(/http or https/);
    },
  );
});

describe('a path', () => {
  test('without a stroke is read with one, and of an extension none', () => {
    expect(only({ openapi: '3.1.0', paths: { 'a/b': { get: {} }, 'x-more': { get: {} } } }).url).toMatch('.com/a/b');
  });

  test('may refer to another, and add to it', () => {
    const components = { pathItems: { A: { get: { summary: 'List' } } } };
    const parameters = [{ name: 'q', in: 'query' }];
    const paths = { '/a': { $ref: '#/components/pathItems/A', parameters } };
    const operation = only({ openapi: '3.1.0', paths, components });
    expect([operation.description, operation.parameters.length]).toEqual(['List', 1]);
  });

  test('in another file is told', () => {
    const paths = { '/a': { $ref: 'paths/a.yaml' }, '/b': { get: {} } };
    expect(read({ openapi: '3.1.0', paths }).skipped).toEqual(['/a: paths/a.yaml is not in the description']);
  });

  test('without anything in it is none', () => {
    const paths = { '/a': null, '/b': { get: null }, '/c': { get: { parameters: null, requestBody: null } } };
    expect(only({ openapi: '3.0.3', paths }).url).toMatch(/\/c$/);
  });
});

describe('an operation is named', () => {
  test.each([
    ['getOrder', 'getOrder'],
    ['Café.list', 'Cafe_list'],
    ['注文一覧', 'post_a'],
    ['___', 'post_a'],
    ['', 'post_a'],
    [7, '7'],
    [null, 'post_a'],
  ])('%j', (operationId, name) => {
    expect(only(api({ operationId })).name).toBe(name);
  });
});

describe('text that is nearly', () => {
  test.each([
    ['JSON, with a comma too many', '{"openapi": "3.1.0", "paths": {"/a": {"post": {}},},}'],
    ['JSON, with a mark at its start', '\ufeff{"openapi": "3.1.0", "paths": {"/a": {"post": {}}}}'],
    ['YAML, on one line', '{openapi: 3.1.0, paths: {/a: {post: {}}}}'],
    ['YAML, with a key twice', 'openapi: 3.1.0\npaths:\n  /a:\n    post: {summary: x}\n    post: {}\n'],
    ['YAML, with its start and end', '%YAML 1.2\n---\nopenapi: 3.1.0\npaths: {/a: {post: {}}}\n...\n'],
  ])('%s is read', (_, text) => {
    expect(only(text)).toMatchObject({ method: 'POST', url: 'https://docs.example.com/a' });
  });

  test('YAML, with tabs, is told the line', () => {
    expect(() => read('openapi: 3.1.0\npaths:\n\t/a: {}\n')).toThrow('valid YAML (line 3: tab');
  });
});

describe('the type of a body', () => {
  test.each([
    ['application/json', 'application/json'],
    ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
    ['application/merge-patch+json', 'application/merge-patch+json'],
    ['text/json', 'text/json'],
    ['application/*+json', 'application/json'],
    ['application/*', 'application/json'],
    ['*/*', 'application/json'],
  ])('%s', async (type, sent) => {
    const request = await buildRequest(only(body(type, {})), { body: { a: 1 } }, null);
    expect([request.headers['content-type'], request.body]).toEqual([sent, '{"a":1}']);
  });

  test('is plain JSON where others come before it, as ASP.NET writes them', () => {
    const types = ['application/json-patch+json', 'text/json', 'application/json', 'application/*+json'];
    const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }]));
    expect(only(api({ requestBody: { content } })).body?.contentType).toBe('application/json');
  });

  test.each(['application/xml', 'application/octet-stream', 'image/png', 'application/x-ndjson'])(
    '%s is told',
    (type) => {
      const paths = { '/a': { post: { requestBody: { required: true, content: { [type]: {} } } } }, '/b': { get: {} } };
      expect(read({ openapi: '3.1.0', paths }).skipped).toEqual([`POST /a: a body of ${type} cannot be sent`]);
    },
  );
});

test('names that a provider refuses are written in its letters, and sent as they are', async () => {
  const names = ['filter[status]', 'filter(status)', '$top', 'Straße', '数', 'x'.repeat(70), 'ok.name-1'];
  const operation = only(api({ parameters: names.map((name) => ({ name, in: 'query', schema: {} })) }));
  const keys = Object.keys(operation.arguments.properties ?? {});
  expect(keys).toEqual(['filter_status', 'filter_status_query', 'top', 'Stra_e', 'query', 'x'.repeat(64), 'ok.name-1']);
  const { url } = await buildRequest(operation, Object.fromEntries(keys.map((key) => [key, 1])), null);
  expect([...new URL(url).searchParams.keys()]).toEqual(names);
  const { body: sent } = only(body('application/json', { type: 'object', properties: { 'First name': {} } }));
  expect(sent?.from).toBe('body');
});

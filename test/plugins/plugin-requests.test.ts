import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../src/plugins/build-request.ts';
import { argumentIssues } from '../../src/plugins/call-operation.ts';
import { readInterface } from '../../src/plugins/read-interface.ts';

/** The only operation of a description with these paths. */
function only(paths: object) {
  const description = JSON.stringify({ openapi: '3.1.0', info: { title: 'Api', version: '1' }, paths });
  const [operation, ...others] = readInterface(description, 'https://docs.example.com/v1/openapi.yaml').operations;
  expect(others).toEqual([]);
  return operation as NonNullable<typeof operation>;
}

describe('a call becomes a request', () => {
  const item = {
    parameters: [{ name: 'X-Trace', in: 'header', schema: { type: 'string' } }],
    put: {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        { name: 'Host', in: 'header', schema: { type: 'string' } },
        { name: 'dry', in: 'query', schema: { type: 'boolean' } },
        { name: 'tab', in: 'cookie', schema: { type: 'string' } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['name', 'serial'],
              properties: { name: { type: 'string', minLength: 2 }, serial: { type: 'string', readOnly: true } },
            },
          },
        },
      },
    },
  };
  const operation = only({ '/things/{id}': item });
  const origins = ['https://docs.example.com'];
  const token = { in: 'header', name: 'Authorization', prefix: 'Bearer ', token: 'secret', origins } as const;

  test('with every value in its place, and the token in a place that no argument reaches', async () => {
    const given = { id: 'a/b', dry: true, tab: 'x; y=1', 'X-Trace': 't', name: 'Ana' };
    expect(argumentIssues(operation.arguments, given)).toBeNull();
    expect(await buildRequest(operation, given, token)).toEqual({
      url: 'https://docs.example.com/things/a%2Fb?dry=true',
      method: 'PUT',
      headers: {
        'x-trace': 't',
        authorization: 'Bearer secret',
        cookie: 'tab=x%3B%20y%3D1',
        'content-type': 'application/json',
      },
      body: '{"name":"Ana"}',
    });
    expect(Object.keys(operation.arguments.properties ?? {})).toEqual(['X-Trace', 'id', 'dry', 'tab', 'name']);
  });

  test('which stands alone, though a parameter has its name in other letters', async () => {
    const place = { ...token, name: 'x-TRACE', prefix: '' };
    const { headers } = await buildRequest(operation, { id: '1', name: 'Ana', 'X-Trace': 'forged' }, place);
    expect(Object.entries(headers).filter(([name]) => /trace/i.test(name))).toEqual([['x-trace', 'secret']]);
  });

  test.each(['.', '..', ''])('but not with a value that climbs out of its place in the path: %j', async (id) => {
    await expect(buildRequest(operation, { id, name: 'Ana' }, null)).rejects.toThrow(/^id: must not be/);
  });

  test('nor with one that would begin another header', async () => {
    await expect(buildRequest(operation, { id: '1', 'X-Trace': 'a\r\nX-Admin: 1' }, null)).rejects.toThrow('X-Trace');
  });

  test.each([
    [{ name: 'Ana' }, /id/],
    [{ id: '1', name: 'A' }, /^name: /],
    [{ id: '1', name: 5 }, /^name: /],
    [{ id: '1', name: 'Ana', colour: 'red' }, /colour/],
    [{ id: '1', name: 'Ana', dry: 'yes' }, /^dry: /],
  ])('nor with arguments that do not obey: %j', (given, flaw) => {
    expect(argumentIssues(operation.arguments, given)).toMatch(flaw);
  });

  test.each([
    ['application/x-www-form-urlencoded', 'a=1&a=2&b=x+%26+y'],
    ['text/plain', 'whole'],
  ])('with a body of %s', async (type, written) => {
    const schema =
      type === 'text/plain'
        ? { type: 'string' }
        : { type: 'object', properties: { a: { type: 'array' }, b: { type: 'string' } } };
    const post = only({ '/a': { post: { requestBody: { content: { [type]: { schema } } } } } });
    const { body, headers } = await buildRequest(post, { a: [1, 2], b: 'x & y', body: 'whole' }, null);
    expect([body, headers]).toEqual([written, { 'content-type': type }]);
  });

  test('with a body of several parts', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const post = only({ '/a': { post: { requestBody: { content: { 'multipart/form-data': { schema } } } } } });
    const { body, headers } = await buildRequest(post, { a: 'é' }, null);
    const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData();
    expect([...form]).toEqual([['a', 'é']]);
  });

  test('without a body when none of it was given', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const post = only({ '/a': { post: { requestBody: { content: { 'application/json': { schema } } } } } });
    expect(await buildRequest(post, {}, null)).toEqual({
      url: 'https://docs.example.com/a',
      method: 'POST',
      headers: {},
    });
  });
});

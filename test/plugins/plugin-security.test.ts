import { describe, expect, test } from 'vitest';
import { readInterface } from '../../src/plugins/read-interface.ts';

const read = (paths: object, more: object) =>
  readInterface(JSON.stringify({ openapi: '3.1.0', paths, ...more }), 'https://docs.example.com/v1/openapi.yaml');

const flows = {
  authorizationCode: { authorizationUrl: '/authorize', tokenUrl: '/token', scopes: { read: '' } },
};
const securitySchemes = {
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  app: { type: 'apiKey', in: 'query', name: 'app' },
  certificate: { type: 'mutualTLS' },
  bearer: { type: 'http', scheme: 'bearer' },
  oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example.com/.well-known/openid-configuration' },
  oauth: { type: 'oauth2', flows },
};
type Name = keyof typeof securitySchemes;
/** What is required: `a|b c` is `a`, or `b` with `c`; empty, nothing. */
const securityOf = (text: string) =>
  text
    .split('|')
    .filter(Boolean)
    .map((names) => Object.fromEntries(names.split(' ').map((name) => [name, []])));
const nameOf = ({ token, oauth, named }: ReturnType<typeof read>): Name | undefined => {
  if (oauth) return 'oauth';
  if (named) return 'oidc';
  if (token?.name === 'Authorization') return token.prefix === 'Basic ' ? 'basic' : 'bearer';
  return token?.name === 'X-Key' ? 'key' : token ? 'app' : undefined;
};

describe('of several schemes, the token is sent by', () => {
  const simple = { basic: securitySchemes.basic, key: securitySchemes.key, app: securitySchemes.app };
  test.each<[string, string | null, (string | null)[], Name | undefined, object?]>([
    ['the first, if nobody says', null, [null], 'basic', simple],
    ['the one that is required', null, ['key'], 'key'],
    ['the one that suffices alone', null, ['basic app|key'], 'key'],
    ['the first of several that are required together', null, ['app key'], 'key'],
    ['the first of alternatives', null, ['app|key'], 'key'],
    ['what is known, beside what is not', null, ['gone'], 'basic', simple],
    ['what can be sent, beside what cannot', null, ['certificate|key app'], 'key'],
    ['what most operations require', 'bearer', ['basic', null, null], 'bearer'],
    ['what most operations require, of their own', 'bearer', ['basic', 'basic', null], 'basic'],
    ['what most operations accept', 'bearer|key', ['key', null], 'key'],
    ['what the document requires, of two as often', 'bearer', ['basic', null], 'bearer'],
    ['what operations require, if all say', 'bearer', ['key', 'key'], 'key'],
    ['what operations require that need any', 'key', ['', '', 'app'], 'app'],
    ['OAuth, if nobody says', null, [null], 'oauth'],
    ['OAuth, of two as often', 'key', ['oauth', null], 'oauth'],
    ['OAuth, of two that are required together', 'key oauth', [null], 'oauth'],
    ['OAuth, beside an operation with another', 'oauth key', ['key', null], 'oauth'],
    ['a named server, of two as often', 'key', ['oidc', null], 'oidc'],
    ['an operation that can be called without', null, ['|key'], 'key'],
  ])('%s', (_, whole, each, name, schemes = securitySchemes) => {
    const paths = Object.fromEntries(
      each.map((text, index) => [`/${index}`, { get: { ...(text !== null && { security: securityOf(text) }) } }]),
    );
    const security = whole === null ? {} : { security: securityOf(whole) };
    expect(nameOf(read(paths, { ...security, components: { securitySchemes: schemes } }))).toBe(name);
  });

  test('what paths require that are described elsewhere', () => {
    const pathItems = { A: { get: { security: securityOf('key') } } };
    const paths = { '/a': { $ref: '#/components/pathItems/A' } };
    expect(nameOf(read(paths, { components: { securitySchemes, pathItems } }))).toBe('key');
  });

  test('what operations require that can be called', () => {
    const unsent = { requestBody: { required: true, content: { 'image/png': {} } }, security: securityOf('oauth') };
    const paths = { '/a': { post: unsent, put: unsent, get: { security: securityOf('key') } } };
    expect(nameOf(read(paths, { components: { securitySchemes } }))).toBe('key');
  });
});

test('a named server is asked for the scopes that operations require', () => {
  const paths = {
    '/a': { get: {}, post: { security: [{ oidc: ['write', 'read'] }] } },
    '/b': { get: { security: [{ oidc: ['list'] }, { key: ['other'] }] } },
  };
  const { named } = read(paths, { security: [{ oidc: ['read'] }], components: { securitySchemes } });
  expect(named).toEqual({ address: securitySchemes.oidc.openIdConnectUrl, scope: 'read write list' });
});

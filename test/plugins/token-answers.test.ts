import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { renewGrant } from '../../src/plugins/oauth.ts';
import { useApiServer } from '../support/plugins/api-server.ts';

const api = useApiServer();
const fetch = createGuardedFetch({ allowHosts: ['127.0.0.1'] });

type Values = Record<string, unknown>;
const whole = {
  access_token: 'given',
  token_type: 'Bearer',
  expires_in: 3_600,
  refresh_token: 'again',
  scope: 'orders',
};
const give = (body: string, { status = 200, type = 'application/json' } = {}) =>
  api.routes.set('POST /token', () => ({ status, headers: { 'content-type': type }, body }));
const giveJson = (values: Values, status = 200) => give(JSON.stringify({ ...whole, ...values }), { status });
/** What is taken of an answer. */
const renew = () => {
  const addresses = { authorizationUrl: api.url('/authorize'), tokenUrl: api.url('/token'), revocationUrl: '' };
  const client = { clientId: 'parley', clientSecret: 'secret', scope: 'orders', ...addresses };
  return renewGrant(client, 'old', { fetch });
};

describe('a token is taken from an answer', () => {
  const granted = { accessToken: 'given', refreshToken: 'again', expiresIn: 3_600, scope: 'orders' };
  const answers: [what: string, values: Values, taken: object][] = [
    ['as the standard has it', {}, {}],
    ['without a type', { token_type: undefined }, {}],
    ['with null as its type', { token_type: null }, {}],
    ['of a user, as it is called', { token_type: 'user' }, {}],
    ['of a bot, as it is called', { token_type: 'bot' }, {}],
    ['whose type is empty', { token_type: '' }, {}],
    ['with a list of scopes', { scope: ['orders', 'read'] }, { scope: 'orders read' }],
    ['with an empty list of scopes', { scope: [] }, { scope: '' }],
    ['with null as its scope', { scope: null }, { scope: '' }],
    ['with scopes between commas', { scope: 'orders,read' }, { scope: 'orders,read' }],
    ['with null as its refresh token', { refresh_token: null }, { refreshToken: null }],
    ['with an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
    ['with false as its refresh token', { refresh_token: false }, { refreshToken: null }],
    ['that never ends: null', { expires_in: null }, { expiresIn: null }],
    ['that never ends: 0', { expires_in: 0 }, { expiresIn: null }],
    ['that never ends: -1', { expires_in: -1 }, { expiresIn: null }],
    ['that never ends: empty', { expires_in: '' }, { expiresIn: null }],
    ['that never ends: a word', { expires_in: 'never' }, { expiresIn: null }],
    ['that ends in some other age', { expires_in: 1e18 }, { expiresIn: null }],
    ['whose lifetime is text', { expires_in: '3600' }, {}],
    ['whose lifetime has a fraction', { expires_in: 3599.5 }, { expiresIn: 3599.5 }],
    ['with null as its error', { error: null }, {}],
    ['that says that it is well', { ok: true }, {}],
    ['with an id token that is none', { id_token: 42 }, {}],
  ];
  test.each(answers)('%s', async (_, values, taken) => {
    giveJson(values);
    expect(await renew()).toEqual({ ...granted, ...taken });
  });

  test.each([201, 202, 203])('with status %i', async (status) => {
    giveJson({}, status);
    expect(await renew()).toEqual(granted);
  });

  test.each(['application/x-www-form-urlencoded; charset=utf-8', 'text/plain', 'text/html'])(
    'that is a form (%s), as of GitHub',
    async (type) => {
      give('access_token=given&expires_in=28800&refresh_token=again&scope=repo%2Cgist&token_type=bearer', { type });
      expect(await renew()).toEqual({ ...granted, expiresIn: 28_800, scope: 'repo,gist' });
    },
  );

  test('that is JSON by another name', async () => {
    give(JSON.stringify(whole), { type: 'text/javascript' });
    expect(await renew()).toEqual(granted);
  });
});

describe('an answer is an error', () => {
  const errors: [what: string, body: string, type: string, says: string][] = [
    ['with status 200, of GitHub', '{"error":"bad_verification_code"}', 'application/json', 'bad_verification_code'],
    ['with status 200, of Slack', '{"ok":false,"error":"invalid_code"}', 'application/json', 'invalid_code'],
    ['as a form', 'error=invalid_grant&error_description=Old', 'application/x-www-form-urlencoded', 'invalid_grant'],
    ['as an object', '{"error":{"type":"OAuthException","code":190}}', 'application/json', 'OAuthException'],
    ['that is only not well', '{"ok":false}', 'application/json', 'server_error'],
    ['as a page', '<html>Sorry</html>', 'text/html', 'unusable'],
    [
      'with a token that proves a key',
      JSON.stringify({ ...whole, token_type: 'DPoP' }),
      'application/json',
      'unsupported_token_type',
    ],
    ['without a token', '{"token_type":"bearer"}', 'application/json', 'unusable'],
  ];
  test.each(errors)('%s', async (_, body, type, says) => {
    give(body, { type });
    await expect(renew()).rejects.toThrow(says);
  });

  test.each(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token'])('that ends a grant: %s', async (error) => {
    give(JSON.stringify({ error }));
    await expect(renew()).rejects.toMatchObject({ final: true });
  });
});

test.each([
  [400, 'invalid_client'],
  [403, 'invalid_client'],
  [401, 'invalid_client'],
  [400, 'unauthorized_client'],
  [200, 'incorrect_client_credentials'],
])('a server that takes the secret in a header alone may say so by %i %s', async (status, error) => {
  api.routes.set('POST /token', ({ headers }) => ({
    status: headers.authorization?.startsWith('Basic ') ? 200 : status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(headers.authorization?.startsWith('Basic ') ? whole : { error }),
  }));
  expect((await renew()).accessToken).toBe('given');
});

test('another error is not sent a second time', async () => {
  let asked = 0;
  api.routes.set('POST /token', () => {
    asked++;
    return { status: 400, headers: { 'content-type': 'application/json' }, body: '{"error":"invalid_grant"}' };
  });
  await expect(renew()).rejects.toThrow('invalid_grant');
  expect(asked).toBe(1);
});

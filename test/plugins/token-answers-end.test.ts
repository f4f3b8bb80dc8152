import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { consent, useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

const gateway = useGateway();
const api = useApiServer();
const { authorize, begin, comeBack, inSeconds, read, readBody, stateOf } = useOAuthPlugin(gateway, api);

const whole = {
  access_token: 'given',
  token_type: 'Bearer',
  expires_in: 3_600,
  refresh_token: 'again',
  scope: 'orders',
};
const give = (values: Record<string, unknown>) =>
  api.routes.set('POST /token', () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(values),
  }));

test('a token lasts for ever, if its answer names no time and no other token', async () => {
  give({ ...whole, token_type: 'user', scope: ['a', 'b'], refresh_token: null, expires_in: null });
  await authorize();
  expect(await stateOf()).toMatchObject({ status: 'active', scope: 'a b', renewable: false, failure: null });
  expect((await readBody()).accessToken).toBe('given');
});

test('a renewed token that comes without a refresh token keeps the old one', async () => {
  give(whole);
  await authorize();
  give({ ...whole, access_token: 'renewed', refresh_token: null });
  await inSeconds(10);
  expect((await readBody()).accessToken).toBe('renewed');
  expect(await stateOf()).toMatchObject({ status: 'active', renewable: true });
});
test('an error with status 200 is shown by the page of the grant', async () => {
  give({ error: 'bad_verification_code' });
  const page = await comeBack(await consent((await begin()).url));
  expect(page.status).not.toBe(200);
  expect(await page.text()).toContain('bad_verification_code');
});

test('an error with status 200 ends a grant as any other', async () => {
  give(whole);
  await authorize();
  give({ error: 'bad_refresh_token' });
  await inSeconds(10);
  expect((await read()).status).toBe(409);
  expect(await stateOf()).toMatchObject({ status: 'reauthorization_required' });
});

import { describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/app.ts';
import { useGateway } from '../support/gateway/app.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

const gateway = useGateway();
const api = useApiServer();
const plugin = useOAuthPlugin(gateway, api);
const { authorize, inSeconds, read, readBody, stateOf, update } = plugin;

describe('GET /rest/credentials answers a fresh token', () => {
  test('the same, until it ends within a minute', async () => {
    await authorize();
    const first = await readBody();
    await inSeconds(90);
    expect(await readBody()).toEqual(first);
    await inSeconds(55);
    const second = await readBody();
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(api.tokens).toContain(second.accessToken);
    expect(await readBody()).toEqual(second);
    expect(api.oauth.renewals).toBe(1);
  });

  test('renewed once for all who ask at once, in several processes', async () => {
    await authorize();
    await inSeconds(-1);
    const others = Array.from({ length: 2 }, () => createApp({ ...gateway.services }, async () => null));
    let release = () => {};
    api.oauth.until = new Promise((ready) => {
      release = ready;
    });
    const asked = Array.from({ length: 24 }, (_, index) =>
      read((others[index % 3] ?? gateway.app) as typeof gateway.app),
    );
    await expect.poll(() => api.oauth.renewals, { interval: 10 }).toBe(1);
    release();
    const answers = await Promise.all((await Promise.all(asked)).map((response) => response.json()));
    expect(new Set(answers.map(({ accessToken }: any) => accessToken)).size).toBe(1);
    expect([answers[0].accessToken !== undefined, api.oauth.renewals]).toEqual([true, 1]);
  });

  test('though a process died while it renewed', async () => {
    await authorize();
    await inSeconds(-1);
    const { pluginId } = plugin;
    const leaseUntil = (refreshingUntil: Date) =>
      gateway.database.credential.updateMany({ where: { pluginId }, data: { refreshingUntil } });
    await leaseUntil(new Date(Date.now() + 3_600_000));
    const look = vi.spyOn(gateway.services, 'leaseTime');
    const body = readBody();
    await expect.poll(() => look.mock.calls.length).toBeGreaterThan(1);
    expect(api.oauth.renewals).toBe(0);
    await leaseUntil(new Date(0));
    expect(await body).toHaveProperty('accessToken');
    expect(api.oauth.renewals).toBe(1);
  });

  test('or says that the user has to authorize again, without asking the server twice', async () => {
    await authorize();
    api.oauth.refreshTokens.clear();
    await inSeconds(30);
    expect((await read()).status).toBe(409);
    expect(await readBody()).toMatchObject({
      code: 'reauthorization_required',
      message: expect.stringContaining('invalid_grant'),
    });
    expect(api.oauth.renewals).toBe(1);
    expect(await stateOf()).toMatchObject({
      status: 'reauthorization_required',
      renewable: false,
      failure: expect.stringContaining('invalid_grant'),
    });
    await authorize();
    expect(await stateOf()).toMatchObject({ status: 'active', failure: null });
  });

  test('and while the server fails, the old one as long as it is valid', async () => {
    await authorize();
    const { accessToken } = await readBody();
    api.routes.set('POST /token', () => ({ status: 503, body: 'busy' }));
    await inSeconds(30);
    expect((await readBody()).accessToken).toBe(accessToken);
    await inSeconds(-1);
    const response = await read();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await stateOf()).toMatchObject({ status: 'active', renewable: true, failure: expect.any(String) });
    api.routes.clear();
    expect((await readBody()).accessToken).not.toBe(accessToken);
    expect((await stateOf()).failure).toBeNull();
  });

  test.each([
    [400, 'invalid_client'],
    [400, 'unauthorized_client'],
    [400, 'invalid_request'],
    [403, 'invalid_scope'],
    [429, 'slow_down'],
  ])('though the server answered %s %s before: only a grant that is over is forgotten', async (status, error) => {
    await authorize();
    await inSeconds(-1);
    const headers = { 'content-type': 'application/json' };
    api.routes.set('POST /token', () => ({ status, headers, body: JSON.stringify({ error }) }));
    const response = await read();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await stateOf()).toMatchObject({
      status: 'active',
      renewable: true,
      failure: expect.stringContaining(error),
    });
    api.routes.clear();
    expect(await readBody()).toHaveProperty('accessToken');
  });

  test('which is forgotten, and taken back at the server, when it is removed', async () => {
    await update({ auth: { type: 'oauth', revocationUrl: api.url('/revoke') } });
    await authorize();
    const removing =
      'mutation($i: DeleteCredentialInput!) { deleteCredential(input: $i) { credential { pluginId status } } }';
    await gateway.data(plugin.home.editor, removing, { i: plugin.pair() });
    expect(api.oauth.refreshTokens.size).toBe(0);
    expect((await read()).status).toBe(404);
  });

  test('and one that was set by hand meanwhile is not overwritten', async () => {
    await authorize();
    await inSeconds(-1);
    let release = () => {};
    api.oauth.until = new Promise((ready) => {
      release = ready;
    });
    const renewing = read();
    await expect.poll(() => api.oauth.renewals, { interval: 10 }).toBe(1);
    const setting = 'mutation($i: SetCredentialInput!) { setCredential(input: $i) { credential { status } } }';
    await gateway.data(plugin.home.editor, setting, { i: { ...plugin.pair(), accessToken: 'set by hand' } });
    release();
    expect((await renewing).status).toBe(200);
    expect(await readBody()).toEqual({ accessToken: 'set by hand' });
  });
});

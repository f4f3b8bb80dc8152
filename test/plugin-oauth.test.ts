import { beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { useApiServer } from './api-server.ts';
import { expectFailure, useGateway } from './app.ts';
import { makeWorkspace, type TestWorkspace } from './factories.ts';

const gateway = useGateway();
const api = useApiServer();
let home: TestWorkspace;
let agentId: string;
let pluginId: string;
beforeEach(async () => {
  home = await makeWorkspace(gateway);
  const { plugin } = (
    await gateway.data(
      home.editor,
      `mutation { importPlugin(input: {url: "${api.url('/.well-known/ai-plugin.json')}"}) { plugin { id } } }`,
    )
  ).importPlugin;
  pluginId = plugin.id;
  await update({ oauthClientId: api.oauth.clientId, oauthClientSecret: api.oauth.clientSecret });
  const creating = 'mutation { createAgent(input: {name: "Host"}) { agent { id } } }';
  agentId = (await gateway.data(home.editor, creating)).createAgent.agent.id;
});

const update = (change: object) =>
  gateway.data(home.editor, 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }', {
    i: { id: pluginId, ...change },
  });
const authorizing =
  'mutation($i: AuthorizePluginInput!) { authorizePlugin(input: $i) { authorization { url expiresAt } } }';
const begin = async (viewer = home.editor) =>
  (await gateway.data(viewer, authorizing, { i: { agentId, pluginId } })).authorizePlugin.authorization as {
    url: string;
    expiresAt: string;
  };
/** The user consents at the server, and is sent back to this address. */
async function consent(url: string): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location') ?? '');
}
const comeBack = async (address: URL) => gateway.app.request(address.pathname + address.search);
async function authorize(): Promise<void> {
  expect((await comeBack(await consent((await begin()).url))).status).toBe(200);
}
const read = (app: { request: typeof gateway.app.request } = gateway.app) =>
  gateway.bearer(home.app).then((bearer) =>
    app.request(`/rest/credentials?agentId=${agentId}&pluginId=${pluginId}`, {
      headers: { authorization: `Bearer ${bearer}` },
    }),
  );
const readBody = async () => (await (await read()).json()) as { accessToken: string; code?: string };
const stateOf = async () =>
  (
    await gateway.data(
      home.editor,
      'query($a: ID!, $p: ID!) { credentialState(agentId: $a, pluginId: $p) { status failure renewable scope grantedBy } }',
      { a: agentId, p: pluginId },
    )
  ).credentialState;
const inSeconds = (seconds: number) =>
  gateway.database.credential.updateMany({
    where: { pluginId },
    data: { expiresAt: new Date(Date.now() + seconds * 1_000) },
  });

describe('a user authorizes a plugin', () => {
  test('at its server, with a proof that only this service has, and comes back', async () => {
    const { url, expiresAt } = await begin();
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'parley',
      redirect_uri: `http://127.0.0.1:4000/oauth/callback/${pluginId}`,
      scope: 'orders',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(new Date(expiresAt).getTime() - Date.now()).toBeGreaterThan(590_000);
    expect(await stateOf()).toBeNull();
    const page = await comeBack(await consent(url));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await page.text()).toContain('Orders may now be called');
    expect(await stateOf()).toEqual({
      status: 'active',
      failure: null,
      renewable: true,
      scope: 'orders',
      grantedBy: home.editor.userId,
    });
    const { accessToken } = await readBody();
    expect(api.tokens).toContain(accessToken);
    const kept = JSON.stringify(await gateway.database.credential.findMany({ where: { pluginId } }));
    for (const secret of [accessToken, ...api.oauth.refreshTokens]) expect(kept).not.toContain(secret);
  });

  test('once with each state, and with no other plugin', async () => {
    const address = await consent((await begin()).url);
    const elsewhere = new URL(address);
    elsewhere.pathname = '/oauth/callback/plg_00000000000000000000000000';
    expect((await comeBack(elsewhere)).status).toBe(400);
    const pages = await Promise.all(Array.from({ length: 8 }, () => comeBack(address)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    const forged = new URL(address);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect(await (await comeBack(forged)).text()).toContain('not known, was used already');
  });

  test('within ten minutes', async () => {
    const address = await consent((await begin()).url);
    await gateway.database.pluginGrant.updateMany({ where: { pluginId }, data: { expiresAt: new Date() } });
    expect((await comeBack(address)).status).toBe(400);
    expect(await stateOf()).toBeNull();
  });

  test('but not for somebody who has lost the right to it', async () => {
    const address = await consent((await begin()).url);
    const where = { id: home.editor.membershipId ?? '' };
    await gateway.database.membership.updateMany({ where, data: { role: 'viewer' } });
    expect(await (await comeBack(address)).text()).toContain('may no longer do so');
    expect(await gateway.database.credential.count({ where: { pluginId } })).toBe(0);
  });

  test.each([
    ['refuses', { error: 'access_denied', error_description: '<script>alert(1)</script>' }, 'answered access_denied'],
    ['brings a code that the server never gave', { code: 'other' }, 'answered invalid_grant'],
    ['brings nothing', { code: '' }, 'no usable answer'],
  ])('who %s is told, and nothing is kept', async (_what, change, told) => {
    const address = await consent((await begin()).url);
    if ('error' in change) address.searchParams.delete('code');
    for (const [name, value] of Object.entries(change)) address.searchParams.set(name, value);
    const page = await comeBack(address);
    const text = await page.text();
    expect([page.status, text.includes(told), text.includes('<script>')]).toEqual([400, true, false]);
    expect(await stateOf()).toBeNull();
  });

  test('at a server that takes our secret in a header alone', async () => {
    api.oauth.basicOnly = true;
    await authorize();
  });

  test.each([
    [{ oauthClientId: '' }, /set oauthClientId/],
    [
      { auth: { type: 'oauth', tokenUrl: 'http://id.example/token' } },
      /must be reached by https: http:\/\/id\.example/,
    ],
    [{ auth: { type: 'service_http' } }, /not called by OAuth/],
  ])('of a plugin that is set up for it, unlike %j', async (change, why) => {
    await update(change);
    expectFailure(await gateway.graphql(home.editor, authorizing, { i: { agentId, pluginId } }), 'conflict', why);
  });

  test('whose server has a private address is told that it is not asked', async () => {
    const address = await consent((await begin()).url);
    await update({ auth: { type: 'oauth', tokenUrl: 'https://169.254.169.254/token' } });
    expect(await (await comeBack(address)).text()).toContain('The address is private');
  });
});

test('an authorization server that is changed is sent neither our old secret nor the tokens of users', async () => {
  const shown = async () =>
    (await gateway.data(home.owner, `{ plugin(id: "${pluginId}") { oauthClientSecret auth { tokenUrl } } }`)).plugin;
  await update({ auth: { type: 'oauth', tokenUrl: api.url('/other') } });
  expect((await shown()).oauthClientSecret).toBe('••••more');
  await update({ auth: { type: 'oauth', tokenUrl: api.url('/token') } });
  await authorize();
  const updating = 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }';
  const auth = { type: 'oauth', tokenUrl: 'https://evil.example/token' };
  expectFailure(await gateway.graphql(home.editor, updating, { i: { id: pluginId, auth } }), 'conflict', /remove/);
  await gateway.database.credential.deleteMany({ where: { pluginId } });
  await update({ auth });
  expect(await shown()).toEqual({ oauthClientSecret: '', auth: { tokenUrl: 'https://evil.example/token' } });
});

describe('GET /rest/credentials answers a fresh token', () => {
  test('the same, until it ends within a minute', async () => {
    await authorize();
    const first = await readBody();
    await inSeconds(65);
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
    const others = Array.from({ length: 2 }, () => createApp({ ...gateway.services }, async () => true));
    let release = () => {};
    api.oauth.until = new Promise((ready) => {
      release = ready;
    });
    const asked = Array.from({ length: 24 }, (_, index) =>
      read((others[index % 3] ?? gateway.app) as typeof gateway.app),
    );
    await expect.poll(() => api.oauth.renewals, { interval: 10, timeout: 20_000 }).toBe(1);
    release();
    const answers = await Promise.all((await Promise.all(asked)).map((response) => response.json()));
    expect(new Set(answers.map(({ accessToken }: any) => accessToken)).size).toBe(1);
    expect([answers[0].accessToken !== undefined, api.oauth.renewals]).toEqual([true, 1]);
  });

  test('though a process died while it renewed', async () => {
    await authorize();
    await inSeconds(-1);
    await gateway.database.credential.updateMany({
      where: { pluginId },
      data: { refreshingUntil: new Date(Date.now() + 150) },
    });
    expect(await readBody()).toHaveProperty('accessToken');
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

  test('which is forgotten, and taken back at the server, when it is removed', async () => {
    await update({ auth: { type: 'oauth', revocationUrl: api.url('/revoke') } });
    await authorize();
    const removing =
      'mutation($i: DeleteCredentialInput!) { deleteCredential(input: $i) { credential { pluginId status } } }';
    await gateway.data(home.editor, removing, { i: { agentId, pluginId } });
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
    await expect.poll(() => api.oauth.renewals, { interval: 10, timeout: 20_000 }).toBe(1);
    const setting = 'mutation($i: SetCredentialInput!) { setCredential(input: $i) { credential { status } } }';
    await gateway.data(home.editor, setting, { i: { agentId, pluginId, accessToken: 'set by hand' } });
    release();
    expect((await renewing).status).toBe(200);
    expect(await readBody()).toEqual({ accessToken: 'set by hand' });
  });
});

test('a call that is refused for its token is made again with a new one', async () => {
  await authorize();
  const { pluginTools } = await import('../src/domain/plugin-tools.ts');
  await gateway.data(home.editor, 'mutation($i: AttachPluginInput!) { attachPlugin(input: $i) { agent { id } } }', {
    i: { agentId, pluginId },
  });
  const [, , order] = await pluginTools({ ...gateway.services, viewer: home.app }, agentId, []);
  const call = () => order?.execute?.({ id: '7' }, { callId: 'c', signal: new AbortController().signal });
  expect(await call()).toContain('shipped');
  api.tokens?.clear();
  api.seen.length = 0;
  expect(await call()).toContain('shipped');
  expect(api.seen.map(({ url }) => url)).toEqual(['/orders/7', '/token', '/orders/7']);
  await gateway.database.credential.deleteMany({ where: { pluginId } });
  expect(await call()).toBe('The call was not made: Orders has not been authorized for this agent yet');
});

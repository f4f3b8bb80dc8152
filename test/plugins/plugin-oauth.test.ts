import { describe, expect, test } from 'vitest';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { authorizing, consent, useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

const gateway = useGateway();
const api = useApiServer();
const plugin = useOAuthPlugin(gateway, api);
const { authorize, begin, comeBack, readBody, stateOf, update } = plugin;

describe('a user authorizes a plugin', () => {
  test('at its server, with a proof that only this service has, and comes back', async () => {
    const { url, expiresAt } = await begin();
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'parley',
      redirect_uri: `http://127.0.0.1:4000/oauth/callback/${plugin.pluginId}`,
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
    expect(await page.text()).toContain('Orders can now be called');
    expect(await stateOf()).toEqual({
      status: 'active',
      failure: null,
      renewable: true,
      scope: 'orders',
      grantedBy: plugin.home.editor.userId,
    });
    const { accessToken } = await readBody();
    expect(api.tokens).toContain(accessToken);
    const kept = JSON.stringify(await gateway.database.credential.findMany({ where: { pluginId: plugin.pluginId } }));
    for (const secret of [accessToken, ...api.oauth.refreshTokens]) expect(kept).not.toContain(secret);
  });

  test('with a token that an app got for them, which the audit log says', async () => {
    const { app, editor, id } = plugin.home;
    const { body } = await gateway.rest(app, 'POST', '/rest/apps/auth', {
      userId: editor.userId,
      role: 'editor',
      tenantId: id,
    });
    await comeBack(await consent((await begin(body.token)).url));
    const where = { workspaceId: id, type: 'Credential' };
    const [entry] = await gateway.database.auditEntry.findMany({ where });
    expect(entry).toMatchObject({ actorKind: 'app', actorId: app.appId, onBehalfOfId: editor.userId });
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
    expect(await (await comeBack(forged)).text()).toContain('is unknown, was already used');
  });

  test('within ten minutes', async () => {
    const address = await consent((await begin()).url);
    await gateway.database.pluginGrant.updateMany({
      where: { pluginId: plugin.pluginId },
      data: { expiresAt: new Date() },
    });
    expect((await comeBack(address)).status).toBe(400);
    expect(await stateOf()).toBeNull();
  });

  test('but not for somebody who has lost the right to it', async () => {
    const address = await consent((await begin()).url);
    const where = { id: plugin.home.editor.membershipId ?? '' };
    await gateway.database.membership.updateMany({ where, data: { role: 'viewer' } });
    expect(await (await comeBack(address)).text()).toContain('is no longer allowed to');
    expect(await gateway.database.credential.count({ where: { pluginId: plugin.pluginId } })).toBe(0);
  });

  const rotate = 'mutation { rotateAppSecret(input: { id: "sender" }) { app { id } } }';
  const remove = 'mutation { deleteApp(input: { id: "sender" }) { deletedId } }';

  test.each([
    ['a token that an app got, once the secret of the app is replaced', 'token', rotate],
    ['a token that an app got, once the app is gone', 'token', remove],
    ['the secret of an app, once it is replaced', 'secret', rotate],
    ['the secret of an app, once the app is gone', 'secret', remove],
  ] as const)('nor with %s', async (_what, bearer, end) => {
    const { owner, editor, id: tenantId } = plugin.home;
    const create = 'mutation { createApp(input: { id: "sender", name: "Sender" }) { app { secret } } }';
    const { app } = (await gateway.data(owner, create)).createApp;
    const asked = { userId: editor.userId, role: 'editor', tenantId };
    const { body } = await gateway.rest(app.secret, 'POST', '/rest/apps/auth', asked);
    const address = await consent((await begin(bearer === 'token' ? body.token : app.secret)).url);
    await gateway.data(owner, end);
    expect(await (await comeBack(address)).text()).toContain('is no longer allowed to');
    expect(await stateOf()).toBeNull();
  });

  test.each([
    [
      'refuses',
      { error: 'access_denied', error_description: '<script>alert(1)</script>' },
      'responded with access_denied',
    ],
    ['brings a code that the server never gave', { code: 'other' }, 'responded with invalid_grant'],
    ['brings nothing', { code: '' }, 'unusable response'],
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
    [{ auth: { type: 'oauth', tokenUrl: 'http://id.example/token' } }, /must use https: http:\/\/id\.example/],
    [{ auth: { type: 'service_http' } }, /does not use OAuth/],
  ])('of a plugin that is set up for it, unlike %j', async (change, why) => {
    await update(change);
    expectFailure(await gateway.graphql(plugin.home.editor, authorizing, { i: plugin.pair() }), 'conflict', why);
  });

  test('whose server has a private address is told that it is not asked', async () => {
    await update({ auth: { type: 'oauth', tokenUrl: 'https://169.254.169.254/token' } });
    const address = await consent((await begin()).url);
    expect(await (await comeBack(address)).text()).toContain('The address is private');
  });
});

test('a call that is refused for its token is made again with a new one', async () => {
  await authorize();
  const { pluginTools } = await import('../../src/domain/plugins/tools.ts');
  await gateway.data(
    plugin.home.editor,
    'mutation($i: AttachPluginInput!) { attachPlugin(input: $i) { agent { id } } }',
    {
      i: plugin.pair(),
    },
  );
  const { findTurnAgent } = await import('../../src/domain/turns/agent.ts');
  const context = { ...gateway.services, viewer: plugin.home.app };
  const agent = await findTurnAgent(context, plugin.agentId);
  const [, , order] = pluginTools(context, agent, [], (_plugin, _operation, _args, make) => make());
  const call = () => order?.execute?.({ id: '7' }, { callId: 'c', signal: new AbortController().signal });
  expect(await call()).toContain('shipped');
  api.tokens?.clear();
  api.seen.length = 0;
  expect(await call()).toContain('shipped');
  expect(api.seen.map(({ url }) => url)).toEqual(['/orders/7', '/token', '/orders/7']);
  await gateway.database.credential.deleteMany({ where: { pluginId: plugin.pluginId } });
  expect(await call()).toBe('The call was not made: Orders has not been authorized for this agent yet');
});

import { describe, expect, test } from 'vitest';
import { openGateway, useGateway } from '../support/gateway/app.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { authorizing, consent, useBrowser, useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

const gateway = useGateway();
const api = useApiServer();
const plugin = useOAuthPlugin(gateway, api);
const { beginHere, stateOf, update } = plugin;
const credentials = () => gateway.database.credential.count({ where: { pluginId: plugin.pluginId } });
const grants = () => ({ pluginId: plugin.pluginId });

describe('the start page of an authorization', () => {
  test('says who asks for what, and needs no script', async () => {
    const { url } = await beginHere();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/oauth\/start\?ticket=[\w-]{43}$/);
    const page = await useBrowser(gateway).open(url);
    const html = await page.text();
    const { email } = await gateway.database.user.findUniqueOrThrow({ where: { id: plugin.home.editor.userId ?? '' } });
    const { name } = await gateway.database.workspace.findUniqueOrThrow({
      where: { id: plugin.home.editor.workspaceId },
    });
    for (const told of ['Orders', 'Host', name, email, new URL(api.url('')).host]) expect(html).toContain(told);
    expect(html).not.toMatch(/<script|style=|state=/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    expect(page.headers.get('set-cookie')).toMatch(
      /^parley_oauth_[0-9a-f]{16}=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
  });

  test('shows names of a tenant as text', async () => {
    await update({ nameForHuman: '<script>alert(1)</script>' });
    const html = await (await useBrowser(gateway).open((await beginHere()).url)).text();
    expect(html).toContain('&lt;script>alert(1)');
    expect(html).not.toContain('<script');
  });

  test('is opened by anything without an effect, and goes on for the first browser that does', async () => {
    const { url } = await beginHere();
    const [filter, own, other] = [useBrowser(gateway), useBrowser(gateway), useBrowser(gateway)];
    await filter.open(url);
    await other.open(url);
    const theirs = await own.goOn(url);
    expect(await own.goOn(url)).toBe(theirs);
    for (const answer of [await other.open(url), await other.press(url), await useBrowser(gateway).open(url)]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(await answer.text()).toContain('started in another browser');
    }
  });

  test('goes on for one of many browsers at once', async () => {
    const { url } = await beginHere();
    const browsers = Array.from({ length: 6 }, () => useBrowser(gateway));
    for (const browser of browsers) await browser.open(url);
    const answers = await Promise.all(browsers.map((browser) => browser.press(url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400]);
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['no page', {}],
    ['another port of the host', { origin: 'http://127.0.0.1:4001' }],
    ['a site of the same domain', { origin: 'http://127.0.0.1:4000', 'sec-fetch-site': 'same-site' }],
  ])('does not go on by a POST of %s', async (_what, headers) => {
    const { url } = await beginHere();
    const browser = useBrowser(gateway);
    await browser.open(url);
    const answer = await browser.open(url, { method: 'POST', headers });
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
    expect(await gateway.database.pluginGrant.count({ where: { ...grants(), browserHash: null } })).toBe(1);
  });

  test('tells a browser that keeps no cookies', async () => {
    const answer = await useBrowser(gateway).press((await beginHere()).url);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Allow cookies')]);
  });

  test.each([
    ['a ticket that is not known', (url: string) => `${url.slice(0, -43)}${'x'.repeat(43)}`],
    ['no ticket', (url: string) => url.replace(/\?.*/, '')],
    ['a ticket that is over', (url: string) => url],
  ])('is not there for %s', async (what, change) => {
    const { url } = await beginHere();
    const browser = useBrowser(gateway);
    await browser.open(url);
    if (what.endsWith('over')) {
      await gateway.database.pluginGrant.updateMany({ where: grants(), data: { expiresAt: new Date() } });
    }
    for (const answer of [await browser.open(change(url)), await browser.press(change(url))]) {
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('longer than ten minutes')]);
    }
  });

  test('is not there once whoever began it has lost the right to it, or the server was changed', async () => {
    const { url } = await beginHere();
    await update({ auth: { type: 'oauth', tokenUrl: 'https://id.example/token' } });
    expect(await (await useBrowser(gateway).open(url)).text()).toContain('has changed in the meantime');
    const where = { id: plugin.home.editor.membershipId ?? '' };
    await gateway.database.membership.updateMany({ where, data: { role: 'viewer' } });
    expect(await (await useBrowser(gateway).open(url)).text()).toContain('is no longer allowed to');
  });

  test('takes GET and POST alone', async () => {
    const { url } = await beginHere();
    for (const [method, headers] of [
      ['DELETE', {}],
      ['OPTIONS', { origin: 'https://evil.example', 'access-control-request-method': 'POST' }],
    ] as const) {
      const answer = await useBrowser(gateway).open(url, { method, headers });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    }
  });
});

describe('what a user brings back', () => {
  test('in another browser is not taken, spoils nothing, and is taken in the one that began it', async () => {
    const [attacker, victim] = [useBrowser(gateway), useBrowser(gateway)];
    const address = await consent(await attacker.goOn((await beginHere()).url));
    await victim.goOn((await beginHere()).url);
    for (const browser of [victim, useBrowser(gateway)]) {
      const page = await browser.open(address);
      expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('started in another browser')]);
    }
    expect([await credentials(), await stateOf(), api.tokens?.size ?? 0]).toEqual([0, null, 0]);
    expect((await attacker.open(address)).status).toBe(200);
    expect(await credentials()).toBe(1);
  });

  test('by the cookie of another authorization is not taken', async () => {
    const browser = useBrowser(gateway);
    const address = await consent(await browser.goOn((await beginHere()).url));
    const [name = ''] = browser.jar.keys();
    await browser.goOn((await beginHere()).url);
    browser.jar.set(name, [...browser.jar.values()][1] ?? '');
    expect((await browser.open(address)).status).toBe(400);
    expect(await credentials()).toBe(0);
  });

  test('of several authorizations in one browser is taken for each', async () => {
    const browser = useBrowser(gateway);
    const addresses: URL[] = [];
    for (let i = 0; i < 2; i += 1) addresses.push(await consent(await browser.goOn((await beginHere()).url)));
    for (const address of addresses) expect((await browser.open(address)).status).toBe(200);
  });

  test('to an authorization that no browser began is not taken', async () => {
    const browser = useBrowser(gateway);
    const address = await consent(await browser.goOn((await beginHere()).url));
    const data = { browserHash: null, ticketHash: null };
    await gateway.database.pluginGrant.updateMany({ where: grants(), data });
    expect((await browser.open(address)).status).toBe(400);
    expect(await credentials()).toBe(0);
  });
});

test('behind a proxy that ends TLS, on any replica, the cookie is sent by https alone and by this host alone', async () => {
  const env = { PUBLIC_URL: 'https://bots.example/parley' };
  const { secrets, tokens } = gateway.services;
  const [one, two] = [
    await openGateway(env, { secrets, tokens }, gateway.handle),
    await openGateway(env, { secrets, tokens }, gateway.handle),
  ];
  const { url } = (await one.data(plugin.home.editor, authorizing, { i: plugin.pair() })).authorizePlugin.authorization;
  expect(url).toMatch(/^https:\/\/bots\.example\/parley\/oauth\/start\?/);
  // The proxy strips its prefix; browsers send the public origin.
  const browser = useBrowser(two);
  const address = url.replace('/parley', '');
  const page = await browser.open(address);
  expect(page.headers.get('set-cookie')).toMatch(
    /^__Host-parley_oauth_[0-9a-f]{16}=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect((await browser.press(address.replace('https://bots.example', 'http://127.0.0.1:4000'))).status).toBe(403);
  const headers = { origin: 'https://bots.example' };
  const answer = await useBrowser(one).open(address, { method: 'POST', headers: { ...headers, ...cookieOf(browser) } });
  const theirs = new URL(answer.headers.get('location') ?? '');
  expect([answer.status, theirs.origin]).toEqual([303, new URL(api.url('/')).origin]);
  expect(theirs.searchParams.get('redirect_uri')).toBe(`https://bots.example/parley/oauth/callback/${plugin.pluginId}`);
  await Promise.all([one, two].map(({ services }) => services.queue.close()));
});

const cookieOf = ({ jar }: ReturnType<typeof useBrowser>) => ({
  cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
});

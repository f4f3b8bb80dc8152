import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { chromiumPath, openBrowser } from '../support/browser/browser.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';

describe.skipIf(!chromiumPath)('in a browser (left out where no Chromium is; CHROMIUM may name one)', () => {
  const gateway = {} as Gateway;
  let server: Listening;
  const browser = openBrowser();

  beforeAll(async () => {
    const fetch = (request: Request, env: object) => gateway.app.fetch(request, env as never);
    server = await listen(fetch, { host: '127.0.0.1', port: 0 });
    const env = { PUBLIC_URL: server.url, FETCH_ALLOW_HOSTS: '127.0.0.1,id.localhost' };
    Object.assign(gateway, await openGateway(env));
  });
  afterAll(async () => {
    await browser.close();
    await server?.close(0);
    await gateway.close?.();
  });

  const api = useApiServer();
  const plugin = useOAuthPlugin(gateway, api);
  // Names that Chromium takes for its own machine, each of them another site.
  const at = (host: string, path: string) => api.url(path).replace('127.0.0.1', host);
  beforeEach(async () => {
    await plugin.update({ auth: { type: 'oauth', authorizationUrl: at('id.localhost', '/sign-in') } });
    const leading = (to: string) => (request: { url: string }) => ({
      status: 302,
      headers: { location: `${to}?${request.url.split('?')[1]}` },
    });
    api.routes.set('GET /sign-in', leading(at('login.localhost', '/consent')));
    api.routes.set('GET /consent', leading(at('id.localhost', '/authorize')));
  });

  /** Opens the start page and presses its button. */
  async function goOn(context: BrowserContext, address: string) {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(address);
    await page.getByRole('button', { name: 'Continue' }).click();
    return page;
  }
  const newContext = (javaScriptEnabled = true) => browser.newContext({ javaScriptEnabled });

  test.each([true, false])('a user goes on to other sites and comes back (scripts run: %s)', async (scripts) => {
    const page = await goOn(await newContext(scripts), (await plugin.beginHere()).url);
    await page.getByRole('heading', { name: 'Authorized', exact: true }).waitFor();
    expect(await plugin.stateOf()).toMatchObject({ status: 'active' });
    expect(api.seen.some(({ headers }) => JSON.stringify(headers).includes('ticket='))).toBe(false);
  });

  test('an address of the server that was passed on gives nothing in the browser of somebody else', async () => {
    let theirs = '';
    api.routes.set('GET /sign-in', ({ url }) => {
      theirs = at('id.localhost', url.replace('/sign-in', '/authorize'));
      return { headers: { 'content-type': 'text/html' }, body: 'Sign in' };
    });
    const own = await goOn(await newContext(), (await plugin.beginHere()).url);
    await own.getByText('Sign in').waitFor();
    const page = await (await newContext()).newPage();
    await page.goto(theirs);
    expect(await page.textContent('body')).toContain('started in another browser');
    expect(await plugin.stateOf()).toBeNull();
  });

  test('another site cannot go on in the user’s name', async () => {
    const { url } = await plugin.beginHere();
    const context = await newContext();
    await (await context.newPage()).goto(url);
    const body = `<form method="post" action="${url}"><button>Win</button></form>`;
    api.routes.set('GET /lure', () => ({ headers: { 'content-type': 'text/html' }, body }));
    const page = await context.newPage();
    await page.goto(at('evil.localhost', '/lure'));
    await page.getByRole('button').click();
    await page.getByText('Only the authorization page of this service').waitFor();
    expect(
      await gateway.database.pluginGrant.count({ where: { pluginId: plugin.pluginId, browserHash: { not: null } } }),
    ).toBe(0);
  });
});

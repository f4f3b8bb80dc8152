import { beforeEach, describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { describeApi, manifestOf } from '../support/plugins/api-description.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { consent, useBrowser } from '../support/plugins/oauth-plugin.ts';

const gateway = useGateway();
const api = useApiServer();
let home: TestWorkspace;
beforeEach(async () => {
  home = await makeWorkspace(gateway);
});

const give = (path: string, value: object) =>
  api.routes.set(`GET ${path}`, () => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  }));
/** The metadata of the API's authorization server. */
const metadata = (path = '', more: object = {}) => ({
  issuer: api.url(path),
  authorization_endpoint: api.url('/authorize'),
  token_endpoint: api.url('/token'),
  revocation_endpoint: api.url('/revoke'),
  ...more,
});
const schemed = (scheme: object, security: object[] = [{ id: ['orders', 'prices'] }]) => ({
  ...describeApi(api.url(''), { securitySchemes: { id: scheme } }),
  security,
});
const oidc = (path = '/.well-known/openid-configuration') =>
  schemed({ type: 'openIdConnect', openIdConnectUrl: api.url(path) });

const fields = `id auth { type authorizationUrl tokenUrl revocationUrl scope } interface { skipped }`;
async function importFrom(path: string) {
  const document = `mutation($url: String!) { importPlugin(input: { url: $url }) { plugin { ${fields} } } }`;
  return (await gateway.data(home.editor, document, { url: api.url(path) })).importPlugin.plugin;
}
const found = (scope: string) => ({
  auth: {
    type: 'oauth',
    authorizationUrl: api.url('/authorize'),
    tokenUrl: api.url('/token'),
    revocationUrl: api.url('/revoke'),
    scope,
  },
  interface: { skipped: [] },
});

describe('the authorization server of a plugin is found', () => {
  test.each<[string, () => void, string]>([
    [
      'by openIdConnectUrl',
      () => {
        give('/.well-known/openid-configuration', metadata());
        give('/openapi.json', oidc());
      },
      'orders prices',
    ],
    [
      'by openIdConnectUrl of an issuer with a path that ends in a slash',
      () => {
        give('/shop/.well-known/openid-configuration', metadata('/shop/'));
        give('/openapi.json', oidc('/shop/.well-known/openid-configuration'));
      },
      'orders prices',
    ],
    [
      'by oauth2MetadataUrl',
      () => {
        give('/.well-known/oauth-authorization-server/shop', metadata('/shop'));
        const url = api.url('/.well-known/oauth-authorization-server/shop');
        give('/openapi.json', schemed({ type: 'oauth2', oauth2MetadataUrl: url, flows: {} }));
      },
      'orders prices',
    ],
    [
      'by what the API answers without a token',
      () => {
        give('/.well-known/oauth-authorization-server/shop', metadata('/shop'));
        give('/.well-known/oauth-protected-resource', {
          resource: api.url(''),
          authorization_servers: [api.url('/shop')],
          scopes_supported: ['orders'],
        });
        challenge('/.well-known/oauth-protected-resource');
        give('/openapi.json', schemed({ type: 'http', scheme: 'bearer' }));
      },
      'orders',
    ],
  ])('%s', async (_how, say, scope) => {
    say();
    const { id, ...plugin } = await importFrom('/openapi.json');
    expect(plugin).toEqual(found(scope));
    await authorize(id);
  });

  test.each(['issuer', 'openIdConnectUrl'])(
    'by the %s of a manifest, where it speaks OpenID Connect alone',
    async (key) => {
      give('/.well-known/openid-configuration', metadata());
      const place = key === 'issuer' ? '' : '/.well-known/openid-configuration';
      const auth = { type: 'oauth', [key]: api.url(place), scope: 'orders' };
      give('/.well-known/ai-plugin.json', { ...manifestOf(api.url('')), auth });
      expect(await importFrom('/.well-known/ai-plugin.json')).toMatchObject(found('orders'));
    },
  );

  test('when the plugin is read anew, unless one is set', async () => {
    give('/openapi.json', oidc());
    const { id, auth } = await importFrom('/openapi.json');
    expect(auth).toMatchObject({ type: 'oauth', tokenUrl: '' });
    give('/.well-known/openid-configuration', metadata());
    const refreshing = `mutation($id: ID!) { refreshPlugin(input: { id: $id }) { plugin { ${fields} } } }`;
    const refresh = async () => (await gateway.data(home.editor, refreshing, { id })).refreshPlugin.plugin;
    expect(await refresh()).toMatchObject(found('orders prices'));
    give('/.well-known/openid-configuration', metadata('', { token_endpoint: 'https://evil.example/token' }));
    expect(await refresh()).toMatchObject(found('orders prices'));
  });

  /** The user authorizes our client at the server. */
  async function authorize(id: string): Promise<void> {
    const { clientId: oauthClientId, clientSecret: oauthClientSecret } = api.oauth;
    const updating = 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }';
    await gateway.data(home.editor, updating, { i: { id, oauthClientId, oauthClientSecret } });
    const creating = 'mutation { createAgent(input: {name: "Host"}) { agent { id } } }';
    const agentId = (await gateway.data(home.editor, creating)).createAgent.agent.id;
    const authorizing = 'mutation($i: AuthorizePluginInput!) { authorizePlugin(input: $i) { authorization { url } } }';
    const { authorizePlugin } = await gateway.data(home.editor, authorizing, { i: { agentId, pluginId: id } });
    const browser = useBrowser(gateway);
    const address = await consent(await browser.goOn(authorizePlugin.authorization.url));
    expect((await browser.open(address)).status).toBe(200);
  }
});

/** The API requires a token, and names its authorization server. */
function challenge(path: string): void {
  api.routes.set('GET /orders', () => ({
    status: 401,
    headers: { 'www-authenticate': `Bearer realm="x", resource_metadata="${api.url(path)}"` },
  }));
}

describe('a server that cannot be found leaves the plugin without one, with the reason', () => {
  const resource = (more: object) => ({ resource: api.url(''), authorization_servers: [api.url('')], ...more });
  test.each<[string, () => object, RegExp]>([
    ['nothing is there', () => oidc(), /publishes no metadata/],
    ['it is a private address', () => schemed(named('https://169.254.169.254/')), /address is private/],
    ['it does not use https', () => schemed(named('http://id.example/')), /must use https/],
    ['it redirects', () => oidc('/moved/.well-known/openid-configuration'), /redirects to another address|is private/],
    ['it speaks for another issuer', () => oidc('/other/.well-known/openid-configuration'), /for a different issuer/],
    [
      'it has no page for users',
      () => oidc('/m2m/.well-known/openid-configuration'),
      /does not support the authorization code flow/,
    ],
    ['it answers nonsense', () => oidc('/odd/.well-known/openid-configuration'), /for a different issuer/],
    ['the API names another one’s', () => bearer({ resource: 'https://other.example' }), /for a different resource/],
    ['the API names a resource beside it', () => bearer({ resource: api.url('/ord') }), /for a different resource/],
    ['the API names none', () => bearer({ authorization_servers: [] }), /refers to no usable one/],
  ])('%s', async (_what, description, reason) => {
    const { localhost, m2m } = { localhost: api.url('').replace('127.0.0.1', 'localhost'), m2m: metadata('/m2m') };
    api.routes.set('GET /moved/.well-known/openid-configuration', () => ({
      status: 302,
      headers: { location: localhost },
    }));
    give('/other/.well-known/openid-configuration', metadata('/shop'));
    give('/m2m/.well-known/openid-configuration', { ...m2m, authorization_endpoint: undefined });
    give('/odd/.well-known/openid-configuration', []);
    give('/openapi.json', description());
    const { auth, interface: told } = await importFrom('/openapi.json');
    expect(auth).toMatchObject({ authorizationUrl: '', tokenUrl: '' });
    expect(told.skipped).toEqual([expect.stringMatching(reason)]);
  });

  const named = (openIdConnectUrl: string) => ({ type: 'openIdConnect', openIdConnectUrl });
  function bearer(more: object): object {
    give('/resource', resource(more));
    challenge('/resource');
    return schemed({ type: 'http', scheme: 'bearer' });
  }

  test('an API whose description asks for no token is not asked', async () => {
    await importFrom('/openapi.json');
    expect(api.seen).toEqual([]);
  });

  test('an API that asks for a token and says no more has one of the whole workspace', async () => {
    api.routes.set('GET /orders', () => ({ status: 401 }));
    give('/openapi.json', schemed({ type: 'http', scheme: 'bearer' }));
    expect(await importFrom('/openapi.json')).toMatchObject({ auth: { type: 'service_http', tokenUrl: '' } });
  });
});

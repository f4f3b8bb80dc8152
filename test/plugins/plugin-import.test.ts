import { beforeEach, describe, expect, test } from 'vitest';
import { statementsOf } from '../support/database/database.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { describeApi, manifestOf } from '../support/plugins/api-description.ts';
import { useApiServer } from '../support/plugins/api-server.ts';

const gateway = useGateway();
const api = useApiServer();
let home: TestWorkspace;
beforeEach(async () => {
  home = await makeWorkspace(gateway);
});

const fields = `id url nameForHuman nameForModel descriptionForModel logoUrl contactEmail api { url hasUserAuthentication }
  auth { type tokenIn tokenName tokenPrefix authorizationUrl tokenUrl scope serviceToken redirectUri }
  interface { title version skipped tools { name description method url arguments } }`;
const importing = `mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { ${fields} } } }`;
const refreshing = `mutation($id: ID!) { refreshPlugin(input: {id: $id}) { plugin { ${fields} } } }`;
const give = (path: string, value: unknown, type = 'application/json') => {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  api.routes.set(`GET ${path}`, () => ({ headers: { 'content-type': type }, body }));
};
const importFrom = async (url: string) => (await gateway.data(home.editor, importing, { url })).importPlugin.plugin;

describe('a plugin is imported', () => {
  test('from its manifest, with what it can do', async () => {
    const plugin = await importFrom(api.url('/.well-known/ai-plugin.json'));
    expect(plugin).toMatchObject({
      url: api.url('/.well-known/ai-plugin.json'),
      nameForHuman: 'Orders',
      nameForModel: 'orders',
      contactEmail: 'orders@example.com',
      api: { url: api.url('/openapi.json'), hasUserAuthentication: true },
      auth: {
        type: 'oauth',
        authorizationUrl: api.url('/authorize'),
        tokenUrl: api.url('/token'),
        scope: 'orders',
        redirectUri: `http://127.0.0.1:4000/oauth/callback/${plugin.id}`,
      },
      interface: { title: 'Orders', version: '1.2.0', skipped: [] },
    });
    expect(plugin.interface.tools.map(({ name, method, url }: any) => [name, method, url])).toEqual([
      ['list_orders', 'GET', api.url('/orders')],
      ['create_order', 'POST', api.url('/orders')],
      ['get_order', 'GET', api.url('/orders/{id}')],
    ]);
    expect(plugin.interface.tools[1].arguments).toMatchObject({
      required: ['item', 'quantity'],
      additionalProperties: false,
    });
  });

  test('from the description of an API alone, with the place of its token', async () => {
    give(
      '/api.yaml',
      `openapi: 3.0.3\ninfo: {title: "Äpfel & Co", version: 1}\npaths: {/a: {get: {}}}\ncomponents: {securitySchemes: {k: {type: apiKey, in: header, name: X-Key}}}`,
      'text/yaml',
    );
    expect(await importFrom(api.url('/api.yaml'))).toMatchObject({
      url: '',
      nameForHuman: 'Äpfel & Co',
      nameForModel: 'Apfel_Co',
      auth: { type: 'service_http', tokenIn: 'header', tokenName: 'X-Key', tokenPrefix: '', serviceToken: '' },
      interface: { tools: [{ name: 'get_a', method: 'GET', url: api.url('/a') }] },
    });
  });

  test('and what all plugins can do is read in one statement for all of them', async () => {
    for (const path of ['/openapi.json', '/openapi.json', '/.well-known/ai-plugin.json'])
      await importFrom(api.url(path));
    const list = '{ plugins { nodes { nameForHuman interface { title tools { name } } } } }';
    await gateway.data(home.viewer, list);
    const { statements } = await statementsOf(async () => {
      const { plugins } = await gateway.data(home.viewer, list);
      expect(plugins.nodes.map((one: any) => one.interface.tools.length)).toEqual([3, 3, 3]);
    });
    // The list, and what the field's resolver needs of its rows.
    expect(statements.filter((text) => text.includes('"Plugin"'))).toHaveLength(2);
    expect(statements.filter((text) => text.includes('PluginInterface'))).toHaveLength(1);
  });

  test('and read anew, when only what it can do changes', async () => {
    const { id } = await importFrom(api.url('/.well-known/ai-plugin.json'));
    const description = describeApi(api.url(''));
    give('/openapi.json', { ...description, paths: { '/new': { get: { operationId: 'new_one' } } } });
    give('/.well-known/ai-plugin.json', {
      ...manifestOf(api.url('')),
      name_for_human: 'Other',
      auth: { type: 'oauth', client_url: 'https://evil.example/a', authorization_url: 'https://evil.example/t' },
    });
    const { plugin } = (await gateway.data(home.editor, refreshing, { id })).refreshPlugin;
    expect(plugin).toMatchObject({
      nameForHuman: 'Orders',
      auth: { tokenUrl: api.url('/token') },
      interface: { tools: [{ name: 'new_one' }] },
    });
  });

  test('but its tokens do not go to where the API has moved', async () => {
    const { id } = await importFrom(api.url('/openapi.json'));
    await gateway.data(home.editor, 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }', {
      i: { id, auth: { type: 'service_http', serviceToken: 'service-token-123' } },
    });
    give('/openapi.json', describeApi('https://elsewhere.example'));
    expectFailure(await gateway.graphql(home.editor, refreshing, { id }), 'conflict', /elsewhere\.example/);
    const read = await gateway.data(home.viewer, `query($id: ID!) { plugin(id: $id) { ${fields} } }`, { id });
    expect(read.plugin.interface.tools[0].url).toBe(api.url('/orders'));
    expect(read.plugin.auth.serviceToken).toBe('••••-123');
  });
});

describe('what cannot be imported is told with the reason, and nothing is kept', () => {
  const manifest = (change: object) => ({ ...manifestOf(api.url('')), ...change });
  test.each<[string, () => string, RegExp]>([
    ['a metadata service', () => 'http://169.254.169.254/latest/meta-data', /address is private/],
    [
      'another port of this machine by name',
      () => api.url('/openapi.json').replace('127.0.0.1', 'localhost'),
      /address is private/,
    ],
    ['a redirect to a private address', () => api.url('/moved'), /address is private/],
    ['a manifest that names a private address', () => api.url('/bad-manifest.json'), /address is private/],
    [
      'a manifest of a kind to come',
      () => api.url('/kind.json'),
      /auth\.type of the manifest must be one of none, .*it is "mtls"/,
    ],
    ['a body without an end', () => api.url('/endless.json'), /larger than 5 MB/],
    ['a web page', () => api.url('/page.json'), /no OpenAPI description|neither valid JSON/],
    ['a picture', () => api.url('/picture.json'), /no OpenAPI description|neither valid JSON/],
    ['what is not there', () => api.url('/missing.json'), /responded with 404/],
    ['a file', () => 'file:///etc/passwd', /http or https/],
  ])('%s', async (_what, url, reason) => {
    api.routes.set('GET /moved', () => ({ status: 302, headers: { location: 'http://10.0.0.1/openapi.json' } }));
    give('/bad-manifest.json', manifest({ api: { type: 'openapi', url: 'http://[::ffff:169.254.169.254]/' } }));
    give('/kind.json', manifest({ auth: { type: 'mtls' } }));
    give('/page.json', '<!doctype html><title>x</title>', 'text/html');
    give('/picture.json', '\x89PNG\r\n\x1a\n\0\0', 'image/png');
    api.routes.set('GET /endless.json', (_request, response) => {
      const more = (): unknown => response.write(Buffer.alloc(500_000, ' '), (error) => error || more());
      more();
    });
    const answer = await gateway.graphql(home.editor, importing, { url: url() });
    expectFailure(answer, 'invalid_request', reason);
    expect(answer.errors?.[0]?.extensions.issues?.[0]?.message).toMatch(/^url: /);
    expect(await gateway.database.plugin.count({ where: { workspaceId: home.id } })).toBe(0);
  });

  test('a plugin of another workspace is not found', async () => {
    const { id } = await importFrom(api.url('/openapi.json'));
    const other = await makeWorkspace(gateway);
    expectFailure(await gateway.graphql(other.owner, refreshing, { id }), 'not_found');
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { pluginTools } from '../../src/domain/plugins/tools.ts';
import { findTurnAgent } from '../../src/domain/turns/agent.ts';
import { useGateway } from '../support/gateway/app.ts';
import { describeApi, manifestOf } from '../support/plugins/api-description.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { useOAuthPlugin } from '../support/plugins/oauth-plugin.ts';
import { oneOfEach } from '../support/random/cases.ts';

const gateway = useGateway();
const api = useApiServer();
/** Another origin, which no secret was given for. */
const stranger = useApiServer();
const oauth = useOAuthPlugin(gateway, api);
const clientSecret = 'the-client-secret-of-the-workspace';
beforeEach(async () => {
  for (const server of [api, stranger]) server.oauth.clientSecret = clientSecret;
  await oauth.update({ oauthClientSecret: clientSecret });
});

const updating = 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }';
const refreshing = 'mutation($id: ID!) { refreshPlugin(input: { id: $id }) { plugin { id } } }';
const attaching = 'mutation($i: AttachPluginInput!) { attachPlugin(input: $i) { agent { id } } }';
const setting = 'mutation($i: SetCredentialInput!) { setCredential(input: $i) { credential { status } } }';
const removing = 'mutation($i: DeleteCredentialInput!) { deleteCredential(input: $i) { credential { pluginId } } }';

/** What the editor tries; whatever is refused stays as it is. */
const update = (change: object) =>
  gateway.graphql(oauth.home.editor, updating, { i: { id: oauth.pluginId, ...change } });
const refresh = () => gateway.graphql(oauth.home.editor, refreshing, { id: oauth.pluginId });
const serve = (path: string, value: object) =>
  api.routes.set(`GET ${path}`, () => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  }));
const paths = ['/orders', '/orders/7'];
const redirect = (status: number) => () => {
  for (const method of ['GET', 'POST'])
    for (const path of [...paths, '/token', '/revoke'])
      api.routes.set(`${method} ${path}`, ({ url }) => ({ status, headers: { location: stranger.url(url) } }));
};
/** The rows as another release, or a mistake elsewhere, could have left them: the last check holds alone. */
const rewriteRows = async () => {
  const where = { workspaceId_pluginId: { workspaceId: oauth.home.id, pluginId: oauth.pluginId } };
  const row = await gateway.database.pluginInterface.findUnique({ where });
  const operations = JSON.parse(JSON.stringify(row?.operations ?? []).replaceAll(api.url(''), stranger.url('')));
  if (row) await gateway.database.pluginInterface.update({ where, data: { operations } });
  const addresses = { tokenUrl: stranger.url('/token'), revocationUrl: stranger.url('/revoke') };
  await gateway.database.plugin.updateMany({ where: { id: oauth.pluginId }, data: addresses });
};

/** The ways in which the address of a plugin can change. */
const ways: Record<string, () => unknown> = {
  'the URL of its description': async () => {
    await update({ api: { url: stranger.url('/openapi.json') }, url: '' });
    await refresh();
  },
  'the URL of its manifest': async () => {
    await update({ url: stranger.url('/.well-known/ai-plugin.json') });
    await refresh();
  },
  'the description that its manifest names': async () => {
    const manifest = { ...manifestOf(api.url('')), api: { type: 'openapi', url: stranger.url('/openapi.json') } };
    serve('/.well-known/ai-plugin.json', manifest);
    await update({ url: api.url('/.well-known/ai-plugin.json') });
    await refresh();
  },
  'the server of its description': async () => {
    serve('/openapi.json', describeApi(stranger.url('')));
    await refresh();
  },
  'the server of one operation': async () => {
    const { paths: described, ...description } = describeApi(api.url(''));
    const moved = { ...described['/orders/{id}'], servers: [{ url: stranger.url('') }] };
    serve('/openapi.json', { ...description, paths: { ...described, '/orders/{id}': moved } });
    await refresh();
  },
  'its description by a redirect': async () => {
    const { servers: _, ...description } = describeApi('');
    stranger.routes.set('GET /openapi.json', () => ({ body: JSON.stringify(description) }));
    api.routes.set('GET /openapi.json', () => ({
      status: 302,
      headers: { location: stranger.url('/openapi.json') },
    }));
    await refresh();
  },
  'the token URL': () => update({ auth: { type: 'oauth', tokenUrl: stranger.url('/token') } }),
  'the revocation URL': () => update({ auth: { type: 'oauth', revocationUrl: stranger.url('/revoke') } }),
  'the authorization server, emptied first': async () => {
    await update({ auth: { type: 'oauth', authorizationUrl: '', tokenUrl: '', revocationUrl: '' } });
    const [authorizationUrl, tokenUrl] = [stranger.url('/authorize'), stranger.url('/token')];
    await update({ auth: { type: 'oauth', authorizationUrl, tokenUrl, revocationUrl: stranger.url('/revoke') } });
  },
  'its rows': rewriteRows,
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [`a redirect ${status} of the API`, redirect(status)]),
  ),
};

/** The kinds of secrets. Each is given by whoever may; returns what must not leave. */
const kinds: Record<string, () => Promise<string[]>> = {
  'the service token': async () => {
    const serviceToken = 'the-service-token-of-the-workspace';
    await gateway.data(oauth.home.owner, updating, {
      i: { id: oauth.pluginId, auth: { type: 'service_http', serviceToken } },
    });
    return [serviceToken];
  },
  'the service token in the query': async () => {
    const serviceToken = 'the-service-token-of-the-workspace';
    const auth = { type: 'service_http', tokenIn: 'query', tokenName: 'key', serviceToken };
    await gateway.data(oauth.home.owner, updating, { i: { id: oauth.pluginId, auth } });
    return [serviceToken];
  },
  'the token of an agent': async () => {
    await gateway.data(oauth.home.owner, updating, { i: { id: oauth.pluginId, auth: { type: 'user_http' } } });
    const accessToken = 'the-token-of-one-agent';
    await gateway.data(oauth.home.owner, setting, { i: { ...oauth.pair(), accessToken } });
    return [accessToken];
  },
  'the tokens of a user and the client secret': async () => {
    await gateway.data(oauth.home.owner, updating, {
      i: {
        id: oauth.pluginId,
        auth: { type: 'oauth', revocationUrl: api.url('/revoke') },
        oauthClientSecret: clientSecret,
      },
    });
    await oauth.authorize();
    return [...(api.tokens ?? []), ...api.oauth.refreshTokens, clientSecret];
  },
};

const states: Record<string, () => unknown> = {
  'that was imported': () => undefined,
  'that was not imported yet': () =>
    gateway.database.pluginInterface.deleteMany({ where: { pluginId: oauth.pluginId } }),
};

/** The tools of the agent in a turn. */
async function toolsOfAgent() {
  const context = { ...gateway.services, viewer: oauth.home.app };
  const agent = await findTurnAgent(context, oauth.agentId);
  return pluginTools(context, agent, [], (_plugin, _operation, _args, make) => make());
}

/** Makes the gateway use all secrets of the plugin: calls, a renewal, and a revocation. */
async function useSecrets(): Promise<void> {
  await gateway.data(oauth.home.editor, attaching, { i: oauth.pair() });
  const call = async () => {
    const tools = await toolsOfAgent();
    const given: Record<string, string | number>[] = [{}, { item: 'tent', quantity: 1 }, { id: '7' }];
    for (const [index, tool] of tools.entries())
      await tool.execute?.(given[index] ?? {}, { callId: 'c', signal: new AbortController().signal });
  };
  await call();
  await oauth.inSeconds(-1);
  await oauth.read();
  await call();
  await gateway.graphql(oauth.home.editor, removing, { i: oauth.pair() });
}

const spellings = (secret: string) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
/** The secrets that a server was sent, in any part of a request. */
const sent = (server: typeof api, secrets: string[]) => {
  const texts = server.seen.flatMap(({ headers, ...seen }) => [
    JSON.stringify({ headers, ...seen }),
    Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString(),
  ]);
  return secrets.filter((secret) => spellings(secret).some((one) => texts.some((text) => text.includes(one))));
};

test.each(Object.entries(kinds))('%s is sent where it was given for', async (_kind, give) => {
  const secrets = await give();
  api.seen.length = 0;
  await useSecrets();
  expect(sent(api, secrets)).toEqual(secrets);
});

type Case = [kind: string, state: string, way: string];
const cases = Object.keys(kinds).flatMap((kind) =>
  Object.keys(states).flatMap((state) => Object.keys(ways).map((way): Case => [kind, state, way])),
);

test.each(oneOfEach(cases, ([, , way]) => way))(
  '%s of a plugin %s is sent nowhere else when somebody changes %s',
  async (kind, state, way) => {
    await states[state]?.();
    const secrets = (await kinds[kind]?.()) ?? [];
    await ways[way]?.();
    await useSecrets();
    expect(secrets).not.toEqual([]);
    expect(sent(stranger, secrets)).toEqual([]);
  },
);

test.each(Object.entries(kinds))(
  '%s, given once the address is right again, is not sent to the operations of another one',
  async (_kind, give) => {
    const { url, apiUrl } = await gateway.database.plugin.findFirstOrThrow({ where: { id: oauth.pluginId } });
    await update({ api: { url: stranger.url('/openapi.json') }, url: '' });
    await refresh();
    await update({ api: { url: apiUrl }, url });
    const secrets = await give();
    await useSecrets();
    expect(secrets).not.toEqual([]);
    expect(sent(stranger, secrets)).toEqual([]);
  },
);

describe('whoever uses a secret of a plugin that has moved is told to enter it again', () => {
  test('by the refresh, as long as one is stored for another origin', async () => {
    await kinds['the service token']?.();
    serve('/openapi.json', describeApi(stranger.url('')));
    serve('/.well-known/ai-plugin.json', manifestOf(api.url('')));
    const { errors } = await refresh();
    expect(errors?.[0]?.message).toMatch(/^The API is at .*enter them again/);
    await update({ auth: { type: 'service_http', serviceToken: '' } });
    expect((await refresh()).errors).toBeUndefined();
    await kinds['the service token']?.();
    await useSecrets();
    expect(sent(stranger, ['the-service-token-of-the-workspace'])).toHaveLength(1);
  });

  test('by the call', async () => {
    await kinds['the service token']?.();
    await gateway.data(oauth.home.editor, attaching, { i: oauth.pair() });
    await rewriteRows();
    const [list] = await toolsOfAgent();
    const text = await list?.execute?.({}, { callId: 'c', signal: new AbortController().signal });
    expect(text).toBe(
      `The call was not made: the token was given for ${api.url('')}, not for ${stranger.url('')}: enter it again`,
    );
  });

  test('by the renewal, for the tokens of a user', async () => {
    await kinds['the tokens of a user and the client secret']?.();
    await rewriteRows();
    await oauth.inSeconds(-1);
    expect(await oauth.readBody()).toMatchObject({
      code: 'reauthorization_required',
      message: expect.stringContaining(`was not granted by ${stranger.url('')}`),
    });
  });

  test('by the start of an authorization, for the client secret', async () => {
    await rewriteRows();
    const authorizing = 'mutation($i: AuthorizePluginInput!) { authorizePlugin(input: $i) { authorization { url } } }';
    const { errors } = await gateway.graphql(oauth.home.editor, authorizing, { i: oauth.pair() });
    expect(errors?.[0]?.message).toMatch(/^The client secret was given for .* enter it again/);
  });
});

import { beforeEach, expect } from 'vitest';
import type { ApiServer } from '../api-server.ts';
import type { Gateway } from '../app.ts';
import { makeWorkspace, type TestWorkspace } from '../factories.ts';

export const authorizing =
  'mutation($i: AuthorizePluginInput!) { authorizePlugin(input: $i) { authorization { url expiresAt } } }';
const stating = `query($a: ID!, $p: ID!) {
  credentialState(agentId: $a, pluginId: $p) { status failure renewable scope grantedBy }
}`;

/** For each test a workspace with an agent, and the plugin of the API, at whose server we are a client. */
export function useOAuthPlugin(gateway: Gateway, api: ApiServer) {
  const it = { home: {} as TestWorkspace, agentId: '', pluginId: '' };

  beforeEach(async () => {
    it.home = await makeWorkspace(gateway);
    const url = api.url('/.well-known/ai-plugin.json');
    const importing = 'mutation($url: String!) { importPlugin(input: { url: $url }) { plugin { id } } }';
    it.pluginId = (await gateway.data(it.home.editor, importing, { url })).importPlugin.plugin.id;
    await update({ oauthClientId: api.oauth.clientId, oauthClientSecret: api.oauth.clientSecret });
    const creating = 'mutation { createAgent(input: {name: "Host"}) { agent { id } } }';
    it.agentId = (await gateway.data(it.home.editor, creating)).createAgent.agent.id;
  });

  const update = (change: object) =>
    gateway.data(it.home.editor, 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }', {
      i: { id: it.pluginId, ...change },
    });
  const pair = () => ({ agentId: it.agentId, pluginId: it.pluginId });
  const begin = async (viewer = it.home.editor) =>
    (await gateway.data(viewer, authorizing, { i: pair() })).authorizePlugin.authorization as {
      url: string;
      expiresAt: string;
    };
  const comeBack = async (address: URL) => gateway.app.request(address.pathname + address.search);
  const read = async (app: { request: typeof gateway.app.request } = gateway.app) => {
    const authorization = `Bearer ${await gateway.bearer(it.home.app)}`;
    return app.request(`/rest/credentials?${new URLSearchParams(pair())}`, { headers: { authorization } });
  };

  return Object.assign(it, {
    update,
    pair,
    begin,
    comeBack,
    async authorize(): Promise<void> {
      expect((await comeBack(await consent((await begin()).url))).status).toBe(200);
    },
    /** GET /rest/credentials. */
    read,
    readBody: async () => (await (await read()).json()) as { accessToken: string; code?: string },
    stateOf: async () =>
      (await gateway.data(it.home.editor, stating, { a: it.agentId, p: it.pluginId })).credentialState,
    /** The token ends then. */
    inSeconds: (seconds: number) =>
      gateway.database.credential.updateMany({
        where: { pluginId: it.pluginId },
        data: { expiresAt: new Date(Date.now() + seconds * 1_000) },
      }),
  });
}

/** The user consents at the server, and is sent back to this address. */
export async function consent(url: string): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location') ?? '');
}

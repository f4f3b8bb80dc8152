import { beforeEach, expect } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import type { ApiServer } from './api-server.ts';

export const authorizing =
  'mutation($i: AuthorizePluginInput!) { authorizePlugin(input: $i) { authorization { url expiresAt } } }';
const stating = `query($a: ID!, $p: ID!) {
  credentialState(agentId: $a, pluginId: $p) { status failure renewable scope grantedBy }
}`;

/** For each test, a workspace with an agent and the API's plugin, registered as an OAuth client. */
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
  let browser = useBrowser(gateway);
  beforeEach(() => {
    browser = useBrowser(gateway);
  });
  /** The result of `authorizePlugin`. */
  const beginHere = async (viewer: Viewer | string = it.home.editor) =>
    (await gateway.data(viewer, authorizing, { i: pair() })).authorizePlugin.authorization as {
      url: string;
      expiresAt: string;
    };
  /** The same, continued in the user's browser: `url` is the authorization server's. */
  const begin = async (viewer: Viewer | string = it.home.editor) => {
    const { url, expiresAt } = await beginHere(viewer);
    return { url: await browser.goOn(url), expiresAt };
  };
  const comeBack = (address: URL) => browser.open(address);
  const read = async (app: { request: typeof gateway.app.request } = gateway.app) => {
    const authorization = `Bearer ${await gateway.bearer(it.home.app)}`;
    return app.request(`/rest/credentials?${new URLSearchParams(pair())}`, { headers: { authorization } });
  };

  return Object.assign(it, {
    update,
    pair,
    beginHere,
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
    /** Makes the token expire then. */
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

/** A browser that keeps cookies, and presses the button of the start page. */
export function useBrowser(gateway: Pick<Gateway, 'app'>) {
  const jar = new Map<string, string>();

  async function open(address: string | URL, init: { method?: string; headers?: Record<string, string> } = {}) {
    const { pathname, search } = new URL(address);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await gateway.app.request(pathname + search, {
      ...init,
      headers: { ...(cookie && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return response;
  }
  /** Submits the form of the page at this address. */
  const press = (address: string) =>
    open(address, {
      method: 'POST',
      headers: { origin: new URL(address).origin, 'content-type': 'application/x-www-form-urlencoded' },
    });

  return {
    jar,
    open,
    press,
    /** Opens the start page, presses its button, and returns the target. */
    async goOn(address: string): Promise<string> {
      expect((await open(address)).status).toBe(200);
      const response = await press(address);
      expect(response.status).toBe(303);
      return response.headers.get('location') ?? '';
    },
  };
}

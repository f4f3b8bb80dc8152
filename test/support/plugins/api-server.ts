import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { describeApi, manifestOf } from './api-description.ts';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Answer = { status?: number; headers?: Record<string, string>; body?: string };
type Route = (request: Seen, response: ServerResponse) => Answer | void | Promise<Answer | void>;

/** An API of orders with its description, its manifest and its authorization server, on loopback. */
export type ApiServer = {
  url(path: string): string;
  /** The requests received, except for descriptions. */
  seen: Seen[];
  /** Replaces a route such as `GET /orders/7` until the end of the test. */
  routes: Map<string, Route>;
  /** The valid tokens; null if the API needs none. */
  tokens: Set<string> | null;
  oauth: OAuthState;
};
type OAuthState = {
  clientId: string;
  clientSecret: string;
  /** The lifetime of a token, in seconds. */
  expiresIn: number;
  codes: Map<string, { challenge: string; redirectUri: string }>;
  refreshTokens: Set<string>;
  /** The number of token renewals. */
  renewals: number;
  /** Delays renewals until this resolves. */
  until: Promise<void> | null;
  basicOnly: boolean;
};

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** The server for all tests of a file; each test starts with the default responses. */
export function useApiServer(): ApiServer {
  let port = 0;
  const api = { seen: [], routes: new Map() } as unknown as ApiServer;
  api.url = (path) => `http://127.0.0.1:${port}${path}`;
  const server = createServer((request, response) => void serve(api, request, response));
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    api.seen.length = 0;
    api.routes.clear();
    api.tokens = null;
    const [clientId, clientSecret] = ['parley', 'client secret & more'];
    const none = { codes: new Map(), refreshTokens: new Set<string>(), renewals: 0, until: null, basicOnly: false };
    api.oauth = { clientId, clientSecret, expiresIn: 3_600, ...none };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return api;
}

async function serve(api: ApiServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '/', headers } = request;
  const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
  const path = url.split('?')[0] ?? url;
  const described = /\.(json|yaml)$/.test(path);
  if (!described) api.seen.push(seen);
  const route = api.routes.get(`${method} ${path}`) ?? defaultRoute(api, `${method} ${path}`);
  const answer = await route(seen, response);
  if (answer) response.writeHead(answer.status ?? 200, answer.headers ?? {}).end(answer.body ?? '');
}

function defaultRoute(api: ApiServer, line: string): Route {
  if (line === 'GET /openapi.json') return () => json(describeApi(api.url('')));
  if (line === 'GET /.well-known/ai-plugin.json') return () => json(manifestOf(api.url('')));
  if (line === 'GET /authorize') return (request) => authorize(api, new URL(request.url, api.url('')).searchParams);
  if (line === 'POST /token') return (request) => giveToken(api, request);
  if (line === 'POST /revoke') return ({ body }) => revoke(api, new URLSearchParams(body).get('token') ?? '');
  return (request) => answerApi(api, line, request);
}

function answerApi(api: ApiServer, line: string, { url, headers, body }: Seen): Answer {
  const bearer = headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (api.tokens && !api.tokens.has(bearer)) return json({ error: 'unauthorized' }, 401);
  const id = /^GET \/orders\/(.+)$/.exec(line)?.[1];
  if (id) return json({ id: decodeURIComponent(id), state: 'shipped', carrier: 'Hermes' });
  if (line === 'GET /orders') return json({ orders: [], query: new URL(url, api.url('')).search });
  if (line === 'POST /orders') return json({ id: 'order-9', ...(JSON.parse(body) as object) }, 201);
  return json({ error: 'not found' }, 404);
}

/** A consent page whose user consents at once. */
function authorize({ oauth }: ApiServer, asked: URLSearchParams): Answer {
  const redirectUri = asked.get('redirect_uri') ?? '';
  const code = randomBytes(8).toString('hex');
  const proper = asked.get('response_type') === 'code' && asked.get('code_challenge_method') === 'S256';
  if (!proper || asked.get('client_id') !== oauth.clientId) return json({ error: 'invalid_request' }, 400);
  oauth.codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirectUri });
  const state = encodeURIComponent(asked.get('state') ?? '');
  return { status: 302, headers: { location: `${redirectUri}?code=${code}&state=${state}` } };
}

async function giveToken(api: ApiServer, { headers, body }: Seen): Promise<Answer> {
  const { oauth } = api;
  const asked = new URLSearchParams(body);
  if (!isClient(oauth, headers.authorization, asked)) return json({ error: 'invalid_client' }, 401);
  if (asked.get('grant_type') === 'authorization_code') {
    const code = oauth.codes.get(asked.get('code') ?? '');
    oauth.codes.delete(asked.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    const proven = code?.challenge === challenge && code.redirectUri === asked.get('redirect_uri');
    return proven ? grant(api) : json({ error: 'invalid_grant' }, 400);
  }
  oauth.renewals++;
  await oauth.until;
  // A refresh token is valid once, as with servers that rotate them.
  if (!oauth.refreshTokens.delete(asked.get('refresh_token') ?? '')) return json({ error: 'invalid_grant' }, 400);
  return grant(api);
}

function isClient({ clientId, clientSecret, basicOnly }: OAuthState, header = '', asked: URLSearchParams): boolean {
  const [id = '', secret = ''] = Buffer.from(header.replace('Basic ', ''), 'base64').toString().split(':');
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  if (header) return decode(id) === clientId && decode(secret) === clientSecret;
  return !basicOnly && asked.get('client_id') === clientId && asked.get('client_secret') === clientSecret;
}

function grant(api: ApiServer): Answer {
  const [accessToken, refreshToken] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
  api.tokens = (api.tokens ?? new Set()).add(accessToken);
  api.oauth.refreshTokens.add(refreshToken);
  const { expiresIn } = api.oauth;
  const times = { token_type: 'Bearer', expires_in: expiresIn, scope: 'orders' };
  return json({ access_token: accessToken, refresh_token: refreshToken, id_token: 'not.ours.toread', ...times });
}

function revoke({ oauth }: ApiServer, token: string): Answer {
  oauth.refreshTokens.delete(token);
  return { status: 200 };
}

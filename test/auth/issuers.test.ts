import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bearerOf } from '../../src/auth/bearer.ts';
import { readConfig } from '../../src/config/config.ts';
import { email, member, replica, time, unauthorized, useAuth } from '../support/auth/auth-bench.ts';

useAuth();

type Answer = { status?: number; headers?: Record<string, string>; body?: object };
let server: Server;
/** Where the issuers are, each below a path of its own. */
let host: string;
let keys: { keys: JWK[] };
let sign: (claims: object) => Promise<string>;
/** What the server answers, by path. */
let answers: Record<string, (request: IncomingMessage) => Answer>;
let requests: string[];
beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] };
  const now = () => Math.floor(time / 1000);
  sign = (claims) =>
    new SignJWT({ iat: now(), exp: now() + 300, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(pair.privateKey);
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { status = 200, headers, body = {} } = answers[request.url ?? '']?.(request) ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
  answers = {};
});

/** An issuer at this address, whose keys and other documents are where its kind has them. */
function issuerAt(issuer: string, { keysAt, userinfo }: { keysAt: string; userinfo?: () => Answer }): void {
  const description = { issuer, jwks_uri: host + keysAt, ...(userinfo && { userinfo_endpoint: `${host}/userinfo` }) };
  answers[`${new URL(issuer).pathname.replace(/\/$/, '')}/.well-known/openid-configuration`] = () => ({
    body: description,
  });
  answers[keysAt] = () => ({ body: keys });
  if (userinfo) answers['/userinfo'] = () => userinfo();
}
const trusting = (settings: Record<string, string>) => replica({ oidc: readConfig(settings).oidc });
const viewer = () => expect.objectContaining({ userId: member.userId, credential: 'person' });

describe('Auth0', () => {
  const claims = () => ({
    iss: `${host}/`,
    aud: ['https://api.example', `${host}/userinfo`],
    sub: 'auth0|1',
    azp: 'client',
  });
  const settings = () => ({ OIDC_ISSUER: `${host}/`, OIDC_AUDIENCE: 'https://api.example' });

  test('names the person in claims that an action adds, below a namespace', async () => {
    issuerAt(`${host}/`, { keysAt: '/.well-known/jwks.json' });
    const tokens = trusting({ ...settings(), OIDC_EMAIL_CLAIM: 'https://example.com/email' });
    const added = { 'https://example.com/email': email, 'https://example.com/email_verified': true };
    expect(await tokens.verify(await sign({ ...claims(), ...added }))).toEqual(viewer());
    for (const said of [{ 'https://example.com/email_verified': false }, { email_verified: false }])
      await expect(tokens.verify(await sign({ ...claims(), ...added, ...said }))).rejects.toEqual(unauthorized);
    // The standard claim is about another one: it verifies nothing here.
    const alone = { 'https://example.com/email': email, email_verified: true };
    await expect(tokens.verify(await sign({ ...claims(), ...alone }))).rejects.toEqual(unauthorized);
  });

  test('is asked by userinfo where nothing was added', async () => {
    issuerAt(`${host}/`, {
      keysAt: '/.well-known/jwks.json',
      userinfo: () => ({ body: { sub: 'auth0|1', email, email_verified: true } }),
    });
    expect(await trusting(settings()).verify(await sign(claims()))).toEqual(viewer());
  });
});

describe('Entra', () => {
  const claims = () => {
    const now = Math.floor(time / 1000);
    return { iss: `${host}/tenant/v2.0`, aud: 'api-id', sub: 'pairwise', oid: 'o', tid: 'tenant', ver: '2.0', preferred_username: email, nbf: now };
  }; // biome-ignore format: one line
  const settings = () => ({
    OIDC_ISSUER: `${host}/tenant/v2.0`,
    OIDC_AUDIENCE: 'api-id',
    OIDC_EMAIL_CLAIM: 'preferred_username',
  });
  beforeEach(() => issuerAt(`${host}/tenant/v2.0`, { keysAt: '/tenant/discovery/v2.0/keys' }));

  test('has people’s names in preferred_username, which is no verified email unless that is assumed', async () => {
    await expect(trusting(settings()).verify(await sign(claims()))).rejects.toEqual(unauthorized);
    await expect(trusting(settings()).verify(await sign({ ...claims(), email_verified: true }))).rejects.toEqual(
      unauthorized,
    );
    const assuming = trusting({ ...settings(), OIDC_EMAIL_VERIFIED: 'assumed' });
    expect(await assuming.verify(await sign(claims()))).toEqual(viewer());
    await expect(assuming.verify(await sign({ ...claims(), email_verified: false }))).rejects.toEqual(unauthorized);
  });

  test('may begin its tokens a little in our future', async () => {
    const assuming = trusting({ ...settings(), OIDC_EMAIL_VERIFIED: 'assumed' });
    const later = (seconds: number) => sign({ ...claims(), nbf: Math.floor(time / 1000) + seconds });
    expect(await assuming.verify(await later(25))).toEqual(viewer());
    await expect(assuming.verify(await later(45))).rejects.toEqual(unauthorized);
  });
});

describe('Keycloak', () => {
  const claims = () => ({
    iss: `${host}/realms/shop`,
    aud: ['parley', 'account'],
    sub: 'f:1',
    typ: 'Bearer',
    azp: 'web',
    email,
    email_verified: true,
  });
  const settings = () => ({ OIDC_ISSUER: `${host}/realms/shop`, OIDC_AUDIENCE: 'parley' });

  test('has all claims, once the client has an audience mapper', async () => {
    issuerAt(`${host}/realms/shop`, { keysAt: '/realms/shop/protocol/openid-connect/certs' });
    expect(await trusting(settings()).verify(await sign(claims()))).toEqual(viewer());
    await expect(trusting(settings()).verify(await sign({ ...claims(), aud: 'account' }))).rejects.toEqual(
      unauthorized,
    );
  });

  test('may send tokens of 16 KB, with the roles and groups of a person', async () => {
    issuerAt(`${host}/realms/shop`, { keysAt: '/realms/shop/protocol/openid-connect/certs' });
    const groups = Array.from({ length: 390 }, (_, index) => `/department/group-${String(index).padStart(4, '0')}`);
    const token = await sign({ ...claims(), groups });
    expect(token.length).toBeGreaterThan(12_000);
    const bearer = bearerOf(new Request('http://a', { headers: { authorization: `Bearer ${token}` } }));
    expect(await trusting(settings()).verify(bearer)).toEqual(viewer());
  });
});

describe('Okta', () => {
  const claims = () => ({
    iss: `${host}/oauth2/default`,
    aud: 'api://default',
    sub: email,
    uid: '00u1',
    cid: 'client',
    scp: ['openid', 'email'],
    ver: 1,
  });
  const settings = () => ({ OIDC_ISSUER: `${host}/oauth2/default`, OIDC_AUDIENCE: 'api://default' });
  const asks = (answer: Answer) =>
    issuerAt(`${host}/oauth2/default`, { keysAt: '/oauth2/default/v1/keys', userinfo: () => answer });

  test('tells by userinfo whose an access token is, once for each token', async () => {
    let bearer: string | undefined;
    asks({});
    answers['/userinfo'] = ({ headers }) => {
      bearer = headers.authorization;
      return { body: { sub: email, email, email_verified: true } };
    };
    const token = await sign(claims());
    const tokens = trusting(settings());
    for (let count = 0; count < 3; count++) expect(await tokens.verify(token)).toEqual(viewer());
    expect(bearer).toBe(`Bearer ${token}`);
    expect(requests.filter((path) => path === '/userinfo')).toHaveLength(1);
  });

  test.each<[string, () => Answer]>([
    ['about somebody else', () => ({ body: { sub: 'another', email, email_verified: true } })],
    ['with an email that is not verified', () => ({ body: { sub: email, email, email_verified: false } })],
    ['without a word on its email', () => ({ body: { sub: email, email } })],
    ['that it has not the scope', () => ({ status: 403 })],
  ])('is not believed by an answer %s', async (_, answer) => {
    asks(answer());
    await expect(trusting(settings()).verify(await sign(claims()))).rejects.toEqual(unauthorized);
  });

  test.each<[string, () => Answer]>([
    ['fails', () => ({ status: 500 })],
    ['sends the token to another host', () => ({ status: 302, headers: { location: 'https://elsewhere.example/' } })],
  ])('is 503 while its userinfo %s', async (_, answer) => {
    asks(answer());
    const unavailable = expect.objectContaining({ code: 'unavailable', status: 503 });
    await expect(trusting(settings()).verify(await sign(claims()))).rejects.toEqual(unavailable);
  });
});

describe('Google', () => {
  const settings = { OIDC_ISSUER: 'https://accounts.google.com', OIDC_AUDIENCE: 'web.apps, ios.apps' };

  test('has two names, and a client for each platform', async () => {
    answers['/oauth2/v3/certs'] = () => ({ body: keys });
    const tokens = trusting({ ...settings, OIDC_JWKS_URL: `${host}/oauth2/v3/certs` });
    for (const iss of ['https://accounts.google.com', 'accounts.google.com'])
      for (const aud of ['web.apps', 'ios.apps'])
        expect(await tokens.verify(await sign({ iss, aud, sub: '1', email, email_verified: true }))).toEqual(viewer());
    const other = await sign({ iss: 'accounts.google.com', aud: 'other.apps', sub: '1', email, email_verified: true });
    await expect(tokens.verify(other)).rejects.toEqual(unauthorized);
  });

  test('lends its short name to no other issuer', async () => {
    issuerAt(`${host}/realms/shop`, { keysAt: '/keys' });
    const tokens = trusting({ OIDC_ISSUER: `${host}/realms/shop`, OIDC_AUDIENCE: 'web.apps' });
    const token = await sign({ iss: 'accounts.google.com', aud: 'web.apps', sub: '1', email, email_verified: true });
    await expect(tokens.verify(token)).rejects.toEqual(unauthorized);
  });
});

describe('Cognito', () => {
  const issuer = () => `${host}/eu-west-1_pool`;
  const access = () => ({
    iss: issuer(),
    sub: 'uuid',
    client_id: 'app',
    token_use: 'access',
    scope: 'openid email',
    username: 'ana',
  });
  const settings = () => ({ OIDC_ISSUER: issuer(), OIDC_AUDIENCE: 'app' });
  beforeEach(() =>
    issuerAt(issuer(), {
      keysAt: '/eu-west-1_pool/.well-known/jwks.json',
      userinfo: () => ({ body: { sub: 'uuid', email, email_verified: 'true', username: 'ana' } }),
    }),
  );

  test('names its client in place of an audience, and the person by userinfo', async () => {
    expect(await trusting(settings()).verify(await sign(access()))).toEqual(viewer());
    for (const change of [{ client_id: 'other' }, { token_use: 'id' }, { aud: 'other' }, { aud: [] }])
      await expect(trusting(settings()).verify(await sign({ ...access(), ...change }))).rejects.toEqual(unauthorized);
  });

  test('has all claims in its id tokens', async () => {
    const token = await sign({ iss: issuer(), aud: 'app', sub: 'uuid', token_use: 'id', email, email_verified: true });
    expect(await trusting(settings()).verify(token)).toEqual(viewer());
    expect(requests).not.toContain('/userinfo');
  });
});

describe('keys that are elsewhere', () => {
  const claims = () => ({ iss: `${host}/a`, aud: 'api', sub: '1', email, email_verified: true });
  const settings = () => ({ OIDC_ISSUER: `${host}/a`, OIDC_AUDIENCE: 'api', OIDC_JWKS_URL: `${host}/moved` });

  test('are found within the host, and nowhere else', async () => {
    answers['/keys'] = () => ({ body: keys });
    answers['/moved'] = () => ({ status: 302, headers: { location: '/keys' } });
    expect(await trusting(settings()).verify(await sign(claims()))).toEqual(viewer());
    const unavailable = expect.objectContaining({ code: 'unavailable', status: 503 });
    for (const location of [host.replace('127.0.0.1', 'localhost') + '/keys', '/moved']) {
      answers['/moved'] = () => ({ status: 302, headers: { location } });
      await expect(trusting(settings()).verify(await sign(claims()))).rejects.toEqual(unavailable);
    }
  });
});

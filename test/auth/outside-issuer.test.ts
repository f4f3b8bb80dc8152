import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base64url, type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import {
  addMember,
  advanceClock,
  email,
  encode,
  expired,
  handle,
  member,
  partsOf,
  replica,
  time,
  unauthorized,
  useAuth,
} from '../support/auth/auth-bench.ts';

useAuth();

describe('a token of the identity provider', () => {
  let server: Server;
  let issuer: string;
  let keys: JWK[];
  let sign: CryptoKey;
  let requests: string[];
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const documents: Record<string, object> = {
        '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
        '/keys': { keys },
        '/lying/.well-known/openid-configuration': { issuer: 'https://other.example', jwks_uri: `${issuer}/keys` },
      };
      const found = documents[request.url ?? ''];
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    requests = [];
    const pair = await generateKeyPair('RS256', { extractable: true });
    sign = pair.privateKey;
    keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }];
  });

  const trusting = (change: object = {}, maxTokenSeconds = 86_400) =>
    replica({
      maxTokenSeconds,
      oidc: {
        issuer,
        audiences: ['parley-api'],
        emailClaim: 'email',
        jwksUrl: null,
        emailVerified: 'required' as const,
        ...change,
      },
    });
  const outside = (claims: object, { alg = 'RS256', key = sign }: { alg?: string; key?: CryptoKey } = {}) => {
    const now = Math.floor(time / 1000);
    const all = {
      iss: issuer,
      aud: 'parley-api',
      sub: 'auth0|1',
      iat: now,
      exp: now + 300,
      email,
      email_verified: true,
      ...claims,
    };
    return new SignJWT(all).setProtectedHeader({ alg, kid: 'k1' }).sign(key);
  };

  test('stands for the member with its verified email, whatever its case', async () => {
    const { workspaceId, userId, membershipId } = member;
    const viewer = {
      workspaceId,
      userId,
      membershipId,
      role: 'admin',
      credential: 'person',
      appId: null,
      invitee: { email },
    };
    expect(await trusting().verify(await outside({ email_verified: true }))).toEqual(viewer);
    expect(await trusting().verify(await outside({ email: email.toUpperCase() }))).toEqual(viewer);
    expect(requests).toContain('/.well-known/openid-configuration');
  });

  test('without a word on its email stands for its member only where that is assumed', async () => {
    const silent = await outside({ email_verified: undefined });
    await expect(trusting().verify(silent)).rejects.toEqual(unauthorized);
    const assuming = trusting({ emailVerified: 'assumed' });
    expect(await assuming.verify(silent)).toMatchObject({ userId: member.userId });
    for (const email_verified of [false, 'false', 'no', 'yes', 'on', '1', 1, 'TRUE', null, 0, {}])
      await expect(assuming.verify(await outside({ email_verified }))).rejects.toEqual(unauthorized);
  });

  test('uses OIDC_JWKS_URL without discovery', async () => {
    await trusting({ jwksUrl: `${issuer}/keys` }).verify(await outside({}));
    expect(requests).toEqual(['/keys']);
  });

  test('is checked against keys that are fetched once', async () => {
    const tokens = trusting();
    for (let count = 0; count < 3; count++) await tokens.verify(await outside({ jti: String(count) }));
    expect(requests).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test.each<[string, () => object]>([
    ['another audience', () => ({ aud: 'other' })],
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['our own issuer', () => ({ iss: 'parley' })],
    ['no email, and our id of a user for its sub', () => ({ email: undefined, sub: member.userId })],
    [
      'an email that is not verified, and our id of a user for its sub',
      () => ({ email_verified: false, sub: member.userId }),
    ],
    ['no word on whether its email is verified', () => ({ email_verified: undefined })],
    ['an email that is not verified', () => ({ email_verified: false })],
    ['an email that is not verified, in words', () => ({ email_verified: 'false' })],
    ['an email that is a pattern', () => ({ email: email.replace(/^./, '_') })],
    [
      'an email that only Unicode takes for the same',
      () => ({ email: email.replace(/k/, '\u212a'), email_verified: true }),
    ],
    ['the email of nobody', () => ({ email: 'nobody@example.com' })],
    ['a zero character', () => ({ email: undefined, sub: 'a\0b' })],
    ['a workspace that the person is no member of', () => ({ workspace: newId('workspace') })],
    ['no expiry', () => ({ exp: undefined })],
    ['an expiry in ten years', () => ({ exp: time / 1000 + 315_360_000 })],
    ['an expiry in a day and a minute, and no time of issue', () => ({ iat: undefined, exp: time / 1000 + 86_460 })],
    [
      'an expiry in two days, and issued just before it',
      () => ({ iat: time / 1000 + 172_700, exp: time / 1000 + 172_800 }),
    ],
    ['a minute left of two days', () => ({ iat: time / 1000 - 172_740, exp: time / 1000 + 60 })],
    ['a time to come', () => ({ nbf: time / 1000 + 60 })],
  ])('with %s is refused', async (_, claims) => {
    await expect(trusting().verify(await outside(claims()))).rejects.toEqual(unauthorized);
  });

  test('may be valid for as long as the operator says', async () => {
    const lasting = (seconds: number, iat?: number) => outside({ iat, exp: time / 1000 + seconds });
    const admitted = expect.objectContaining({ userId: member.userId });
    for (const iat of [undefined, time / 1000]) {
      expect(await trusting().verify(await lasting(86_400, iat))).toEqual(admitted);
      const week = await lasting(604_800, iat);
      await expect(trusting().verify(week)).rejects.toEqual(unauthorized);
      expect(await trusting({}, 604_800).verify(week)).toEqual(admitted);
    }
  });

  test('that has expired says so', async () => {
    const token = await outside({});
    advanceClock(331);
    await expect(trusting().verify(token)).rejects.toEqual(expired);
  });

  test('must name the workspace when the person is in several', async () => {
    const second = await addMember(newId('workspace'), 'viewer', email);
    await expect(trusting().verify(await outside({}))).rejects.toEqual(unauthorized);
    const token = await outside({ workspace: second.workspaceId });
    expect(await trusting().verify(token)).toMatchObject({ workspaceId: second.workspaceId, role: 'viewer' });
  });

  test('is led nowhere by what a link was accepted for in its name', async () => {
    const { client } = handle;
    const named = `by-link.${email}`;
    async function acceptByLink() {
      const workspaceId = newId('workspace');
      await client.workspace.create({ data: { id: workspaceId, name: 'W' } });
      const user = await client.user.create({
        data: { id: newId('user'), name: 'N', email: named, invitedTo: workspaceId },
      });
      const id = newId('membership');
      await client.membership.create({
        data: { id, workspaceId, userId: user.id, role: 'admin', acceptedByLink: true },
      });
      return workspaceId;
    }
    const [first] = [await acceptByLink(), await acceptByLink()];
    const invitee = { role: 'invited', workspaceId: '', userId: null, invitee: { email: named } };
    for (const workspace of [undefined, first])
      expect(await trusting().verify(await outside({ email: named, workspace }))).toMatchObject(invitee);
    const own = await addMember(newId('workspace'), 'viewer', named);
    expect(await trusting().verify(await outside({ email: named }))).toMatchObject({ workspaceId: own.workspaceId });
  });

  test('signed by a stranger, or with the public key as a shared secret, is refused', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    await expect(trusting().verify(await outside({}, { key: privateKey }))).rejects.toEqual(unauthorized);
    const body = `${encode({ alg: 'HS256', kid: 'k1' })}.${encode(partsOf(await outside({}))[1])}`;
    const token = `${body}.${createHmac('sha256', base64url.decode(keys[0]?.n ?? ''))
      .update(body)
      .digest('base64url')}`;
    await expect(trusting().verify(token)).rejects.toEqual(unauthorized);
  });

  test('is refused when no identity provider is configured', async () => {
    await expect(replica().verify(await outside({}))).rejects.toEqual(unauthorized);
  });

  test('is 503, not 401, while the keys cannot be fetched, and works when they can again', async () => {
    const unavailable = expect.objectContaining({ code: 'unavailable', status: 503 });
    const lying = `${issuer}/lying`;
    const elsewhere = trusting({ issuer: lying });
    await expect(elsewhere.verify(await outside({ iss: lying }))).rejects.toEqual(unavailable);
    await expect(trusting({ jwksUrl: `${issuer}/none` }).verify(await outside({}))).rejects.toEqual(unavailable);
    const tokens = trusting();
    const kept = keys;
    keys = 'none' as unknown as JWK[];
    await expect(tokens.verify(await outside({}))).rejects.toEqual(unavailable);
    keys = kept;
    expect(await tokens.verify(await outside({}))).toMatchObject({ userId: member.userId });
  });
});

import { describe, expect, test, vi } from 'vitest';
import { bearerOf } from '../../src/auth/bearer.ts';
import { DEMO_WORKSPACE_ID } from '../../src/auth/demo.ts';
import { issueToken } from '../../src/auth/issue.ts';
import { newId } from '../../src/database/ids.ts';
import {
  addApp,
  addMember,
  advanceClock,
  email,
  expired,
  handle,
  member,
  partsOf,
  replica,
  start,
  unauthorized,
  useAuth,
} from '../support/auth/auth-bench.ts';
import { statementsOf } from '../support/database/database.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';

useAuth();

describe('an access token', () => {
  test('stands for its member', async () => {
    const tokens = replica();
    const viewer = await tokens.verify(await tokens.sign(member));
    const { workspaceId, userId, membershipId } = member;
    expect(viewer).toEqual({ workspaceId, userId, membershipId, role: 'admin', credential: 'operator', appId: null });
  });

  test('is an ES256 JWT with kid, issuer, audience and one hour to live', async () => {
    const [header, payload] = partsOf(await replica({ publicUrl: 'https://parley.example' }).sign(member));
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: 'https://parley.example',
      aud: 'parley',
      sub: member.userId,
      workspace: member.workspaceId,
      membership: member.membershipId,
      role: 'admin',
      credential: 'operator',
      iat: start / 1000,
      exp: start / 1000 + 3600,
    });
  });

  test('is valid until the second it expires, also when it was seen before', async () => {
    const tokens = replica();
    const token = await tokens.sign(member, 60);
    advanceClock(59);
    await tokens.verify(token);
    advanceClock(1);
    await expect(tokens.verify(token)).rejects.toEqual(expired);
    await expect(replica().verify(token)).rejects.toEqual(expired);
  });

  test('tells in WWW-Authenticate that it has expired', async () => {
    const token = await replica().sign(member, 1);
    advanceClock(2);
    const error = await replica()
      .verify(token)
      .catch((reason) => reason);
    expect(error.headers).toEqual({ 'www-authenticate': 'Bearer error="invalid_token"' });
  });

  test.each([0, -1, 1.5, 86_401, Number.NaN])('cannot live for %d seconds', async (ttl) => {
    await expect(replica().sign(member, ttl)).rejects.toEqual(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('is accepted by every replica', async () => {
    expect(await replica().verify(await replica().sign(member))).toMatchObject({ userId: member.userId });
  });

  test('of a deleted member is refused', async () => {
    const tokens = replica();
    const token = await tokens.sign(member);
    await tokens.verify(token);
    await handle.client.membership.deleteMany({ where: { id: member.membershipId } });
    await tokens.forget();
    await expect(tokens.verify(token)).rejects.toEqual(unauthorized);
  });

  test.each(['editor', 'viewer'] as const)('of a member demoted to %s gives no more than that', async (role) => {
    const tokens = replica();
    const token = await tokens.sign(member);
    expect((await tokens.verify(token)).role).toBe('admin');
    await handle.client.membership.updateMany({ where: { id: member.membershipId }, data: { role } });
    await tokens.forget();
    expect((await tokens.verify(token)).role).toBe(role);
  });

  test('gives no more than it says to a member that rose', async () => {
    const token = await replica().sign({ ...member, role: 'viewer' });
    expect((await replica().verify(token)).role).toBe('viewer');
  });

  test('follows a change made by another replica within five seconds', async () => {
    const tokens = replica();
    const token = await tokens.sign(member);
    await tokens.verify(token);
    await handle.client.membership.deleteMany({ where: { id: member.membershipId } });
    await tokens.verify(token);
    advanceClock(5);
    await expect(tokens.verify(token)).rejects.toEqual(unauthorized);
  });

  test.each(['workspaceId', 'userId', 'membershipId'] as const)(
    'whose %s is of another member is refused',
    async (key) => {
      const other = await addMember(newId('workspace'), 'owner', `other-${email}`);
      const token = await replica().sign({ ...member, [key]: other[key] });
      await expect(replica().verify(token)).rejects.toEqual(unauthorized);
    },
  );

  test('made by an app is refused once the app is gone', async () => {
    const { secretVersion = '' } = await replica().verify(await addApp(member.workspaceId));
    const tokens = replica();
    const maker = { appId: 'crm', secretVersion };
    const token = await tokens.sign({ ...member, credential: 'minted', maker });
    expect(await tokens.verify(token)).toMatchObject({ appId: 'crm', userId: member.userId, role: 'editor' });
    await handle.client.app.deleteMany({ where: { workspaceId: member.workspaceId } });
    await tokens.forget();
    await expect(tokens.verify(token)).rejects.toEqual(unauthorized);
  });

  test('that is repeated costs neither a query nor a signature check', async () => {
    const tokens = replica();
    const token = await tokens.sign(member);
    const viewer = await tokens.verify(token);
    const checked = vi.spyOn(crypto.subtle, 'verify');
    const { result, statements } = await statementsOf(() => tokens.verify(token));
    expect([result, statements, checked.mock.calls]).toEqual([viewer, [], []]);
    // The verified tokens are the right ones.
    const { statements: anew } = await statementsOf(() => replica().verify(token));
    expect([anew.length > 0, checked.mock.calls.length]).toEqual([true, 1]);
    checked.mockRestore();
  });
});

describe("an app's secret", () => {
  test('stands for the app', async () => {
    const secret = await addApp(member.workspaceId);
    expect(secret).toMatch(/^pas_[\w-]{43}$/);
    const { workspaceId } = member;
    const viewer = {
      workspaceId,
      role: 'app',
      credential: 'secret',
      userId: null,
      membershipId: null,
      appId: 'crm',
      secretVersion: expect.stringMatching(/^[0-9a-f]{16}$/),
    };
    expect(await replica().verify(secret)).toEqual(viewer);
  });

  test('is refused once it was replaced or the app deleted', async () => {
    const tokens = replica();
    const secret = await addApp(member.workspaceId);
    await tokens.verify(secret);
    await handle.client.app.deleteMany({ where: { workspaceId: member.workspaceId } });
    await tokens.forget();
    await expect(tokens.verify(secret)).rejects.toEqual(unauthorized);
  });

  test('that did not exist a moment ago works at once', async () => {
    const tokens = replica();
    const secret = await addApp(member.workspaceId);
    const app = await handle.client.app.findFirstOrThrow({ where: { workspaceId: member.workspaceId } });
    await handle.client.app.deleteMany({ where: { workspaceId: member.workspaceId } });
    await expect(tokens.verify(secret)).rejects.toEqual(unauthorized);
    await handle.client.app.create({ data: { ...app, roles: [] } });
    expect((await tokens.verify(secret)).appId).toBe('crm');
  });
});

describe('the Authorization header', () => {
  const request = (authorization?: string) =>
    new Request('http://x/', { headers: authorization === undefined ? {} : { authorization } });

  test.each(['Bearer abc', 'bearer abc', 'BEARER  abc'])('%j carries a bearer', (header) => {
    expect(bearerOf(request(header))).toBe('abc');
  });

  const refused = (header?: string) => {
    const headers = { 'www-authenticate': 'Bearer' };
    expect(() => bearerOf(request(header))).toThrow(expect.objectContaining({ code: 'unauthorized', headers }));
  };

  test.each([undefined, '', 'abc', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'Bearer a, Bearer b'])(
    'is asked for when it is %j',
    refused,
  );

  test('is refused when it is longer than 16 KB', () => refused(`Bearer ${'a'.repeat(17_000)}`));
});

describe('issueToken', () => {
  const services = () => ({ database: handle.client, tokens: replica() });
  const issue = async (request: object) => replica().verify(await issueToken(services(), request));

  test('is for the first owner of the demo workspace by default', async () => {
    await expect(issueToken(services(), {})).rejects.toThrow('no demo workspace');
    const owner = await addMember(DEMO_WORKSPACE_ID, 'owner', `a${email}`);
    await addMember(DEMO_WORKSPACE_ID, 'owner', `b${email}`);
    const credential = 'operator';
    const expected = { workspaceId: DEMO_WORKSPACE_ID, userId: owner.userId, role: 'owner', credential };
    expect(await issue({})).toMatchObject(expected);
    await handle.client.workspace.delete({ where: { id: DEMO_WORKSPACE_ID } });
  });

  test('says how a workspace is made where there is none, and how one is named where there are', async () => {
    const empty = await borrowDatabase();
    try {
      const none = issueToken({ database: empty.client, tokens: replica() }, {});
      await expect(none).rejects.toThrow('npm run --silent workspace -- --name <name> --owner-email <email>');
    } finally {
      await empty.close();
    }
    await expect(issueToken(services(), {})).rejects.toThrow('npm run --silent token -- --workspace wsp_…');
  });

  test('is for the member named by id or email, in a lower role if asked', async () => {
    const { workspaceId, userId } = member;
    expect(await issue({ workspaceId, userId })).toMatchObject({ userId, role: 'admin', credential: 'person' });
    expect(await issue({ workspaceId, userId: email, role: 'viewer' })).toMatchObject({ userId, role: 'viewer' });
  });

  test.each<[string, () => object, string]>([
    ['a higher role', () => ({ userId: email, role: 'owner' }), 'forbidden'],
    ['an unknown role', () => ({ userId: email, role: 'root' }), 'invalid_request'],
    ['a person who is no member', () => ({ userId: 'nobody' }), 'not_found'],
    ['a workspace without an owner', () => ({}), 'not_found'],
    ['an unknown workspace', () => ({ workspaceId: 'none' }), 'not_found'],
    ['a time to live that is too long', () => ({ userId: email, ttl: 90_000 }), 'invalid_request'],
    ['an unknown key', () => ({ scope: 'all' }), 'invalid_request'],
  ])('refuses %s', async (_, request, code) => {
    const { workspaceId } = member;
    await expect(issueToken(services(), { workspaceId, ...request() })).rejects.toEqual(
      expect.objectContaining({ code }),
    );
  });
});

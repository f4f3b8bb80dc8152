import { describe, expect, test, vi } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { makeAgent, makeMember } from '../../support/gateway/factories.ts';
import { withStoppedClock } from '../../support/gateway/stopped-clock.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const create = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { key { id name scopes hint } secret } }';
const revoke = 'mutation ($id: ID!) { revokeKey(input: { id: $id }) { key { id revokedAt } } }';

const make = async (
  by: Viewer,
  input: object = {},
): Promise<{ key: { id: string; scopes: string[] }; secret: string }> =>
  (await gateway.data(by, create, { input: { name: 'Dashboard', ...input } })).createKey;

describe('a key', () => {
  test('is a bearer of both surfaces, and only reads unless it is told otherwise', async () => {
    const { key, secret } = await make(home.owner);
    expect(secret).toMatch(/^pky_[\w-]{43}$/);
    expect(key).toMatchObject({ name: 'Dashboard', hint: secret.slice(-4) });
    expect(key.scopes.filter((scope) => !scope.endsWith('.read'))).toEqual([]);
    expect(key.scopes).toContain('leads.read');
    expect(key.scopes).not.toContain('credentials.read');
    const { data } = await gateway.graphql(secret, '{ viewer { role permissions user { id } } leads { totalCount } }');
    expect(data.viewer).toEqual({ role: 'owner', permissions: key.scopes, user: null });
    expect(await gateway.rest(secret, 'GET', '/rest/fields')).toMatchObject({ status: 200 });
    const written = await gateway.rest(secret, 'POST', '/rest/leads', { name: 'Ana' });
    expect(written).toMatchObject({
      status: 403,
      body: { code: 'forbidden', message: expect.stringMatching(/leads\.write/) },
    });
  });

  test('has its secret told once, and kept nowhere', async () => {
    const { key, secret } = await make(home.owner);
    const rows = await gateway.database.key.findMany({ where: { id: key.id } });
    expect(JSON.stringify(rows)).not.toContain(secret.slice(4));
  });

  test('may do no more than its maker may now', async () => {
    const maker = await makeMember(gateway, home.id, 'editor');
    const { secret } = await make(maker, { scopes: ['agents.read', 'agents.write'] });
    const name = 'mutation { createAgent(input: { name: "Made by a key" }) { agent { id creator { __typename } } } }';
    const made = await gateway.graphql(secret, name);
    expect(made.data.createAgent.agent.id).toMatch(/^agt_/);
    const where = { id: maker.membershipId ?? '' };
    await gateway.database.membership.updateMany({ where, data: { role: 'viewer' } });
    await gateway.services.tokens.forget();
    expectFailure(await gateway.graphql(secret, name), 'forbidden', /viewer/);
    await gateway.database.membership.deleteMany({ where });
    await gateway.services.tokens.forget();
    expectFailure(await gateway.graphql(secret, name), 'unauthorized', /the member who created the key has left/);
  });

  test('names the scope that an argument lacks, not a permission of its maker', async () => {
    const { secret } = await make(home.owner, { scopes: ['analytics.read'] });
    const refused = await gateway.graphql(secret, '{ leads(search: "ana") { totalCount } }');
    expectFailure(refused, 'forbidden', 'search: needs the scope leads.read, which this key does not have');
  });

  test('can be given no scope that its maker has not, and none that makes other bearers', async () => {
    const scoped = (by: Viewer, scope: string) =>
      gateway.graphql(by, create, { input: { name: 'Key', scopes: [scope] } });
    expectFailure(await scoped(home.viewer, 'leads.write'), 'forbidden', /leads\.write/);
    for (const scope of ['keys.write', 'apps.auth', 'apps.write', 'memberships.write', 'everything']) {
      expectFailure(await scoped(home.owner, scope), 'invalid_request', /scopes/);
    }
  });

  test('is made by a member with a token of their own alone', async () => {
    const { secret } = await make(home.owner);
    const operator: Viewer = { ...home.owner, credential: 'operator' };
    const minted: Viewer = { ...home.owner, credential: 'minted' };
    for (const bearer of [secret, operator, minted, home.app]) {
      expectFailure(await gateway.graphql(bearer, create, { input: { name: 'Another' } }), 'forbidden');
    }
  });

  test('that is revoked already makes no bearer be looked up again', async () => {
    const { key } = await make(home.viewer);
    const forget = vi.spyOn(gateway.services.tokens, 'forget');
    try {
      const [first, again] = [await gateway.data(home.admin, revoke, key), await gateway.data(home.admin, revoke, key)];
      expect(again).toEqual(first);
      expect(forget).toHaveBeenCalledTimes(1);
    } finally {
      forget.mockRestore();
    }
  });

  test('ends when it is revoked, by its maker or an admin, and when its time is over', async () => {
    const { key, secret } = await make(home.viewer);
    expectFailure(await gateway.graphql(home.editor, revoke, { id: key.id }), 'not_found', /^Key not found/);
    expectFailure(await gateway.graphql(other.owner, revoke, { id: key.id }), 'not_found');
    const { revokeKey } = await gateway.data(home.admin, revoke, { id: key.id });
    expect(revokeKey.key.revokedAt).toEqual(expect.any(String));
    expectFailure(await gateway.graphql(secret, '{ viewer { role } }'), 'unauthorized', /revoked/);

    const brief = await make(home.viewer, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    await gateway.database.key.updateMany({ where: { id: brief.key.id }, data: { expiresAt: new Date(0) } });
    await gateway.services.tokens.forget();
    expectFailure(await gateway.graphql(brief.secret, '{ viewer { role } }'), 'token_expired', /expired/);
    await withStoppedClock(async () => {
      await gateway.database.key.updateMany({ where: { id: brief.key.id }, data: { expiresAt: new Date() } });
      await gateway.services.tokens.forget();
      expectFailure(await gateway.graphql(brief.secret, '{ viewer { role } }'), 'token_expired', /expired/);
    });
  });

  test('names what is wrong with its input', async () => {
    const refused = async (input: object, code: ErrorCode, words: RegExp) =>
      expectFailure(await gateway.graphql(home.owner, create, { input: { name: 'Key', ...input } }), code, words);
    await refused({ name: ' ' }, 'invalid_request', /name/);
    await refused({ scopes: [] }, 'invalid_request', /scopes/);
    await refused({ agentIds: [] }, 'invalid_request', /agentIds/);
    await refused({ ratePerMinute: 0 }, 'invalid_request', /ratePerMinute/);
    await refused({ expiresAt: '2020-01-01T00:00:00Z' }, 'invalid_request', /expiresAt/);
    await refused({ agentIds: [(await makeAgent(gateway, other.owner)).id] }, 'not_found', /Agent/);
    const agentIds = [(await makeAgent(gateway, home.owner)).id];
    await refused({ agentIds, scopes: ['webhooks.read'] }, 'invalid_request', /webhooks\.read/);
  });

  test('tells when it was used, and is who made what it writes', async () => {
    const { key, secret } = await make(home.owner, { scopes: ['agents.write', 'agents.read'] });
    await gateway.graphql(secret, 'mutation { createAgent(input: { name: "Kept" }) { agent { id } } }');
    const seen = async () =>
      (await gateway.data(home.owner, '{ keys(first: 50) { nodes { id lastUsedAt } } }')).keys.nodes;
    await expect.poll(seen).toContainEqual({ id: key.id, lastUsedAt: expect.any(String) });
    const { agents } = await gateway.data(
      home.owner,
      '{ agents { nodes { createdBy creator { ... on Key { name } } } } }',
    );
    expect(agents.nodes).toContainEqual({ createdBy: key.id, creator: { name: 'Dashboard' } });
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '../../src/core/permissions.ts';
import { exceeds, lowerRole, type MemberRole, memberRoles } from '../../src/core/roles.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { createServices } from '../../src/services.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeMember } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();

const create = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { id secret } } }';
const update = 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { roles secret } } }';
const rotate = 'mutation ($input: RotateAppSecretInput!) { rotateAppSecret(input: $input) { app { secret } } }';
const remove = 'mutation ($input: DeleteAppInput!) { deleteApp(input: $input) { app { deleted } } }';
const setRole = 'mutation ($input: SetRoleInput!) { setRole(input: $input) { role { role } } }';
const deleteRole = 'mutation ($input: DeleteRoleInput!) { deleteRole(input: $input) { role { deleted } } }';
const changeMember = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { membership { role } } }';
const removeMember = 'mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { membership { deleted } } }';

let count = 0;
async function makeApp(roles: unknown[] = [], by: Viewer = home.owner): Promise<{ id: string; secret: string }> {
  const id = `tool-${++count}`;
  return (await gateway.data(by, create, { input: { id, name: id, roles } })).createApp.app;
}
const record = (appId: string, { membershipId }: Viewer, role: MemberRole | null, by: Viewer = home.owner) =>
  gateway.graphql(by, setRole, { input: { membershipId, appId, role } });
const mint = (bearer: Viewer | string, { userId }: Viewer, role: MemberRole) =>
  gateway.rest(bearer, 'POST', '/rest/apps/auth', { userId, role, tenantId: home.id });
async function minted(bearer: Viewer | string, member: Viewer, role: MemberRole): Promise<string> {
  const { status, body } = await mint(bearer, member, role);
  expect([status, body]).toEqual([200, { token: expect.any(String) }]);
  return body.token;
}
const see = async (bearer: string) => (await gateway.rest(bearer, 'GET', '/rest/agents')).status;
const roleOf = async (bearer: string): Promise<MemberRole> =>
  (await gateway.graphql(bearer, '{ viewer { role } }')).data.viewer.role;

describe('an app gets a token for a member', () => {
  test.each<[string, unknown[], MemberRole]>([
    ['editor where its roles are empty', [], 'editor'],
    ['editor where its roles name none of ours', ['reader', { name: 'writer' }, 7, ['owner'], {}], 'editor'],
    ['what they name', ['viewer'], 'viewer'],
    ['the highest that they name', ['viewer', 'admin', 'editor'], 'admin'],
    ['owner, named by an owner', ['owner'], 'owner'],
    ['the role that an item has', [{ role: 'viewer', name: 'Owner' }], 'viewer'],
    [
      'the role that is the id, key or name of an item',
      [{ id: 'viewer' }, { key: ' ADMIN ' }, { id: 4, name: 'Editor' }],
      'admin',
    ],
  ])('for %s', async (_, roles, most) => {
    const { secret } = await makeApp(roles);
    for (const member of memberRoles)
      for (const role of memberRoles) {
        const { status, body } = await mint(secret, home[member], role);
        if (exceeds(role, lowerRole(member, most))) expect([status, body.code]).toEqual([403, 'forbidden']);
        else expect(await roleOf(body.token)).toBe(role);
      }
  });

  test.each<[MemberRole | null, unknown[]]>(
    [...memberRoles, null].flatMap((role) =>
      [[], ['viewer'], ['owner']].map((roles) => [role, roles] as [typeof role, unknown[]]),
    ),
  )('for the role %s recorded of the two, whatever its roles %j name', async (most, roles) => {
    const { id, secret } = await makeApp(roles);
    for (const member of memberRoles) await record(id, home[member], most);
    for (const member of memberRoles)
      for (const role of memberRoles) {
        const allowed = most && !exceeds(role, lowerRole(member, most));
        expect((await mint(secret, home[member], role)).status).toBe(allowed ? 200 : 403);
      }
  });

  test('and where it may not, the answer says what would have to be given to whom', async () => {
    const { id, secret } = await makeApp();
    const say = async (bearer: Viewer | string, member: Viewer, role: MemberRole) =>
      (await mint(bearer, member, role)).body.message;
    const { membershipId } = home.owner;
    const give = `give the membership ${membershipId} the role owner in the app with the GraphQL mutation setRole`;
    expect(await say(secret, home.owner, 'owner')).toBe(
      `role: the roles of the app "${id}" allow tokens for at most editor: ${give}, or add owner to the roles of the app with the GraphQL mutation updateApp. Only an owner can do this.`,
    );
    await record(id, home.owner, null);
    expect(await say(secret, home.owner, 'owner')).toBe(
      `role: this member has no role in the app "${id}", which therefore cannot get a token for owner: ${give}. Only an owner can do this.`,
    );
    expect(await say(secret, home.viewer, 'editor')).toContain(
      `give the membership ${home.viewer.membershipId} the role editor`,
    );
    expect(await say(home.admin, home.owner, 'owner')).toMatch(/an owner must request this token/);
  });
});

describe('a member gets a token for another', () => {
  test('for at most their own role, and that of their bearer', async () => {
    expect(await roleOf(await minted(home.owner, home.owner, 'owner'))).toBe('owner');
    expect(await roleOf(await minted(home.admin, home.owner, 'admin'))).toBe('admin');
    expect((await mint(home.admin, home.owner, 'owner')).status).toBe(403);
    expect((await mint({ ...home.owner, role: 'admin' }, home.owner, 'owner')).status).toBe(403);
    expect((await mint({ ...home.owner, role: 'editor' }, home.owner, 'editor')).status).toBe(403);
  });
});

describe('a token that was so made', () => {
  test('makes no other, and says so', async () => {
    const { secret } = await makeApp(['owner']);
    for (const token of [await minted(home.owner, home.owner, 'owner'), await minted(secret, home.owner, 'owner')]) {
      for (const role of memberRoles) {
        const { status, body } = await mint(token, home.owner, role);
        expect([status, body.message]).toEqual([403, expect.stringContaining('cannot create another')]);
      }
      const { viewer } = (await gateway.graphql(token, '{ viewer { permissions } }')).data;
      expect(viewer.permissions).toEqual(Object.keys(permissions).filter((name) => name !== 'apps.auth'));
    }
  });

  test('ends with the secret with which it was got, and no other does', async () => {
    const app = await makeApp();
    const another = await makeApp();
    const token = await minted(app.secret, home.editor, 'editor');
    const others = [
      await minted(another.secret, home.editor, 'editor'),
      await minted(home.admin, home.editor, 'editor'),
    ];
    expect(await see(token)).toBe(200);
    const { secret } = (await gateway.data(home.admin, rotate, { input: { id: app.id } })).rotateAppSecret.app;
    const { status, body } = await gateway.rest(token, 'GET', '/rest/agents');
    expect([status, body.message]).toEqual([401, expect.stringContaining('was replaced')]);
    for (const other of [...others, await minted(secret, home.editor, 'editor')]) expect(await see(other)).toBe(200);
  });

  test('ends with its app, also when another takes its id', async () => {
    const { id, secret } = await makeApp();
    const token = await minted(secret, home.editor, 'editor');
    await gateway.data(home.admin, remove, { input: { id } });
    expect(await see(token)).toBe(401);
    await gateway.data(home.admin, create, { input: { id, name: id } });
    expect(await see(token)).toBe(401);
  });

  test('ends with the membership of who made it, and of whom it is for', async () => {
    const [maker, member] = [await makeMember(gateway, home.id, 'admin'), await makeMember(gateway, home.id, 'admin')];
    const tokens = [await minted(maker, home.editor, 'editor'), await minted(home.owner, member, 'admin')];
    for (const token of tokens) expect(await see(token)).toBe(200);
    for (const { membershipId: id } of [maker, member]) await gateway.data(home.owner, removeMember, { input: { id } });
    for (const token of tokens) expect(await see(token)).toBe(401);
  });

  test('gives no more than who made it may now', async () => {
    const maker = await makeMember(gateway, home.id, 'owner');
    const token = await minted(maker, home.owner, 'owner');
    for (const role of ['admin', 'editor', 'viewer'] as const) {
      await gateway.data(home.owner, changeMember, { input: { id: maker.membershipId, role } });
      expect(await roleOf(token)).toBe(role);
    }
  });

  test('gives no more than its app may now, at once', async () => {
    const { id, secret } = await makeApp(['owner']);
    const token = await minted(secret, home.owner, 'owner');
    expect(await roleOf(token)).toBe('owner');
    await record(id, home.owner, 'editor');
    expect(await roleOf(token)).toBe('editor');
    await record(id, home.owner, null);
    expect(await see(token)).toBe(401);
    await gateway.data(home.owner, deleteRole, { input: { appId: id, membershipId: home.owner.membershipId } });
    expect(await roleOf(token)).toBe('owner');
    await gateway.data(home.owner, update, { input: { id, roles: ['viewer'] } });
    expect(await roleOf(token)).toBe('viewer');
  });

  test('of an app whose secret another replica has just replaced is not made any more', async () => {
    const app = await makeApp();
    expect(await see(app.secret)).toBe(200);
    const { config, secrets, log } = gateway.services;
    const replica = createServices({ config, handle: gateway.handle, secrets, log });
    const { rotateAppSecret } = await import('../../src/domain/workspace/apps.ts');
    await rotateAppSecret({ ...replica, viewer: home.owner }, { id: app.id });
    expect((await mint(app.secret, home.editor, 'editor')).status).toBe(401);
    await replica.queue.close();
  });
});

describe('an app that may be an owner', () => {
  const byRoles = () => makeApp(['owner']);
  const byRecord = async () => {
    const app = await makeApp();
    await record(app.id, home.owner, 'owner');
    return app;
  };

  test('is made by an owner alone: by its roles, or by what is recorded in it', async () => {
    const input = { name: 'x', roles: [{ name: 'Owner' }] };
    expectFailure(
      await gateway.graphql(home.admin, create, { input: { id: 'mine', ...input } }),
      'forbidden',
      /roles: include owner/,
    );
    const { status } = await gateway.rest(home.admin, 'POST', '/rest/apps', { id: 'mine', ...input });
    expect(status).toBe(403);
    const { id } = await makeApp([], home.admin);
    expectFailure(
      await gateway.graphql(home.admin, update, { input: { id, ...input } }),
      'forbidden',
      /roles: include owner/,
    );
    expectFailure(await record(id, home.owner, 'owner', home.admin), 'forbidden', /role: only an owner/);
    expect((await record(id, home.owner, 'admin', home.admin)).errors).toBeUndefined();
  });

  test.each([
    ['roles', byRoles],
    ['a record', byRecord],
  ])('by %s is changed by owners alone, and shows its secret to them alone', async (_, make) => {
    const { id, secret } = await make();
    expect(await roleOf(await minted(secret, home.owner, 'owner'))).toBe('owner');
    const { membershipId } = home.viewer;
    const acts: [string, object][] = [
      [update, { id, name: 'Mine' }],
      [update, { id, roles: [] }],
      [rotate, { id }],
      [setRole, { appId: id, membershipId, role: 'viewer' }],
      [deleteRole, { appId: id, membershipId }],
      [remove, { id }],
    ];
    for (const [document, input] of acts)
      expectFailure(await gateway.graphql(home.admin, document, { input }), 'forbidden', /only an owner can change it/);
    const hidden = `pas_••••${secret.slice(-4)}`;
    const shown = async (viewer: Viewer) => {
      const { body } = await gateway.rest(viewer, 'GET', '/rest/apps');
      const { app } = await gateway.data(viewer, `{ app(id: "${id}") { secret } }`);
      return [body.find((row: { id: string }) => row.id === id).secret, app.secret];
    };
    expect([await shown(home.owner), await shown(home.admin)]).toEqual([
      [secret, secret],
      [hidden, hidden],
    ]);
    for (const [document, input] of acts)
      expect((await gateway.graphql(home.owner, document, { input })).errors).toBeUndefined();
  });
});

describe('an app of before its roles counted', () => {
  let app: { id: string; secret: string };
  beforeAll(async () => {
    app = await makeApp();
    await record(app.id, home.owner, 'viewer');
    // As the migration leaves existing apps.
    await gateway.database.app.updateMany({ where: { id: app.id }, data: { unrestricted: true } });
    await gateway.database.appRole.updateMany({ where: { appId: app.id }, data: { enforced: false } });
  });

  test('keeps what it could, until its roles are set', async () => {
    const token = await minted(app.secret, home.owner, 'owner');
    expect(await roleOf(token)).toBe('owner');
    await record(app.id, home.admin, 'viewer', home.admin);
    expect((await mint(app.secret, home.admin, 'admin')).status).toBe(403);
    await gateway.data(home.admin, update, { input: { id: app.id, roles: ['editor'] } });
    expect(await roleOf(token)).toBe('viewer');
    expect((await mint(app.secret, home.owner, 'owner')).status).toBe(403);
    expect((await mint(app.secret, home.editor, 'editor')).status).toBe(200);
  });

  test('a role that is recorded anew for a member counts from then on', async () => {
    const { id, secret } = await makeApp();
    await record(id, home.owner, 'viewer');
    await gateway.database.app.updateMany({ where: { id }, data: { unrestricted: true } });
    await gateway.database.appRole.updateMany({ where: { appId: id }, data: { enforced: false } });
    expect((await mint(secret, home.owner, 'owner')).status).toBe(200);
    await record(id, home.owner, 'viewer');
    expect((await mint(secret, home.owner, 'owner')).status).toBe(403);
  });

  test('shows its secret to admins, as it did, until its roles are set', async () => {
    const { id, secret } = await makeApp(['owner']);
    await gateway.database.app.updateMany({ where: { id }, data: { unrestricted: true } });
    const shown = async () => (await gateway.data(home.admin, `{ app(id: "${id}") { secret } }`)).app.secret;
    expect(await shown()).toBe(secret);
    await gateway.data(home.owner, update, { input: { id, roles: ['owner'] } });
    expect(await shown()).not.toContain(secret.slice(4, -4));
  });
});

test('a member gives what they are now, though a bearer of theirs is remembered as more', async () => {
  const member = await makeMember(gateway, home.id, 'owner');
  const bearer = await gateway.bearer(member);
  await minted(bearer, home.owner, 'owner');
  // As if another replica had changed it, without notifying this one.
  const becomes = (role: MemberRole) =>
    gateway.database.membership.updateMany({ where: { id: member.membershipId ?? '' }, data: { role } });
  await becomes('admin');
  expect((await mint(bearer, home.owner, 'owner')).status).toBe(403);
  await becomes('editor');
  for (const role of memberRoles) expect((await mint(bearer, home.owner, role)).status).toBe(403);
});

import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeMember, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();

let count = 0;
const nextId = () => `app-${++count}`;
const create =
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { id name color redirectUris roles internal secret } } }';
const update =
  'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { id name color redirectUris roles } } }';
const rotate = 'mutation ($input: RotateAppSecretInput!) { rotateAppSecret(input: $input) { app { id secret } } }';
const remove = 'mutation ($input: DeleteAppInput!) { deleteApp(input: $input) { app { id deleted } } }';
const authenticate = 'mutation ($input: AuthenticateAppInput!) { authenticateApp(input: $input) { token } }';
const setRole =
  'mutation ($input: SetRoleInput!) { setRole(input: $input) { role { membershipId appId role createdBy updatedBy membership { id } app { name } } } }';
const role = 'query ($membershipId: ID!, $appId: ID!) { role(membershipId: $membershipId, appId: $appId) { role } }';

async function makeApp(workspace = home): Promise<string> {
  const id = nextId();
  await gateway.data(workspace.admin, create, { input: { id, name: id } });
  return id;
}

describe('an app', () => {
  test('is made under the id given, with a secret that works as a bearer', async () => {
    const input = {
      id: nextId(),
      name: ' Portal ',
      color: '#abc',
      redirectUris: ['https://example.com/callback', 'myapp://callback'],
      roles: ['reader', { name: 'writer', rights: [1] }],
      internal: true,
    };
    const { app } = (await gateway.data(home.admin, create, { input })).createApp;
    expect(app).toEqual({ ...input, name: 'Portal', secret: expect.stringMatching(/^pas_[\w-]{43}$/) });
    const { viewer } = await gateway.data(app.secret, '{ viewer { role app { id } } }');
    expect(viewer).toEqual({ role: 'app', app: { id: input.id } });
    expectFailure(await gateway.graphql(home.admin, create, { input }), 'conflict', /already/);
  });

  test('may have the id of an app of another workspace, and each sees its own', async () => {
    const id = await makeApp();
    expectFailure(await gateway.graphql(other.owner, `{ app(id: "${id}") { name } }`), 'not_found', /App not found/);
    await gateway.data(other.admin, create, { input: { id, name: 'Theirs' } });
    expect(
      await gateway.data(other.owner, `{ app(id: "${id}") { name } node(id: "${id}") { ... on App { name } } }`),
    ).toEqual({
      app: { name: 'Theirs' },
      node: { name: 'Theirs' },
    });
    expect((await gateway.data(home.owner, `{ app(id: "${id}") { name } }`)).app.name).toBe(id);
  });

  test.each([
    [{ id: '' }, /id: must have/],
    [{ id: '-x' }, /id: must have/],
    [{ id: 'a b' }, /id: must have/],
    [{ id: 'a'.repeat(65) }, /id: must have/],
    [{ id: newId('lead') }, /id: has the form/],
    [{ name: ' ' }, /name: must not be empty/],
    [{ color: 'blue' }, /color/],
    [{ redirectUris: ['/callback'] }, /redirectUris\.0: must be an absolute address/],
    [{ redirectUris: ['javascript:alert(1)'] }, /redirectUris\.0/],
  ])('is refused with %j', async (wrong, message) => {
    const input = { id: nextId(), name: 'x', ...wrong };
    expectFailure(await gateway.graphql(home.admin, create, { input }), 'invalid_request', message);
  });

  test('keeps what an update leaves out', async () => {
    const id = nextId();
    await gateway.data(home.admin, create, { input: { id, name: 'A', color: '#111111', roles: ['a'] } });
    const { updateApp } = await gateway.data(home.admin, update, {
      input: { id, name: 'B', redirectUris: ['https://b.example'] },
    });
    expect(updateApp.app).toEqual({
      id,
      name: 'B',
      color: '#111111',
      roles: ['a'],
      redirectUris: ['https://b.example'],
    });
    expectFailure(
      await gateway.graphql(home.admin, update, { input: { id: 'none', name: 'x' } }),
      'not_found',
      /App not found/,
    );
  });

  test('shows its secret to owner and admin, and its last four characters to others', async () => {
    const id = await makeApp();
    const see = async (viewer: keyof Omit<TestWorkspace, 'id'>) =>
      (await gateway.data(home[viewer], `{ app(id: "${id}") { secret } }`)).app.secret;
    const secret = await see('owner');
    expect(await see('admin')).toBe(secret);
    for (const viewer of ['editor', 'viewer', 'app'] as const)
      expect(await see(viewer)).toBe(`pas_••••${secret.slice(-4)}`);
  });

  test('gets a new secret, and the old one stops at once', async () => {
    const id = nextId();
    const { secret } = (await gateway.data(home.admin, create, { input: { id, name: id } })).createApp.app;
    await gateway.data(secret, '{ viewer { role } }');
    const { app } = (await gateway.data(home.admin, rotate, { input: { id } })).rotateAppSecret;
    expect((await gateway.rest(secret, 'GET', '/rest/agents')).status).toBe(401);
    expect((await gateway.data(app.secret, '{ viewer { role } }')).viewer.role).toBe('app');
    expectFailure(await gateway.graphql(home.admin, rotate, { input: { id: 'none' } }), 'not_found');
  });

  test('is changed by admins alone', async () => {
    const id = await makeApp();
    for (const viewer of [home.editor, home.viewer, home.app]) {
      expectFailure(await gateway.graphql(viewer, create, { input: { id: nextId(), name: 'x' } }), 'forbidden');
      expectFailure(await gateway.graphql(viewer, update, { input: { id, name: 'x' } }), 'forbidden');
      expectFailure(await gateway.graphql(viewer, rotate, { input: { id } }), 'forbidden');
      expectFailure(await gateway.graphql(viewer, remove, { input: { id } }), 'forbidden');
    }
  });

  test('that can get tokens for owners is changed by owners alone, which an admin is told', async () => {
    const id = nextId();
    await gateway.data(home.owner, create, { input: { id, name: id, roles: ['owner'] } });
    for (const [document, input] of [
      [update, { id, name: 'x' }],
      [rotate, { id }],
      [remove, { id }],
    ] as const) {
      const refused = await gateway.graphql(home.admin, document, { input });
      expectFailure(refused, 'forbidden', /can get tokens for owners: only an owner can change it/);
      expect((await gateway.graphql(home.owner, document, { input })).errors).toBeUndefined();
    }
  });

  test('goes with its records and its bearer, but not while subscriptions refer to it', async () => {
    const id = nextId();
    const { secret } = (await gateway.data(home.admin, create, { input: { id, name: id } })).createApp.app;
    await gateway.data(secret, '{ viewer { role } }');
    await gateway.data(home.admin, setRole, {
      input: { membershipId: home.viewer.membershipId, appId: id, role: 'editor' },
    });
    expectFailure(
      await gateway.graphql(home.admin, remove, { input: { id: 'portal' } }),
      'conflict',
      /in use by a subscription/,
    );
    expect(await gateway.data(home.admin, remove, { input: { id } })).toEqual({
      deleteApp: { app: { id, deleted: true } },
    });
    expectFailure(await gateway.graphql(home.admin, remove, { input: { id } }), 'not_found');
    expect((await gateway.rest(secret, 'GET', '/rest/agents')).status).toBe(401);
    expect(await gateway.data(home.viewer, role, { membershipId: home.viewer.membershipId, appId: id })).toEqual({
      role: null,
    });
  });
});

describe('a token got by an app, an owner or an admin', () => {
  const ask = (viewer: keyof Omit<TestWorkspace, 'id'>, input: object) =>
    gateway.graphql(home[viewer], authenticate, {
      input: { userId: home.editor.userId, role: 'editor', tenantId: home.id, ...input },
    });

  test('acts for the member, with the role asked for', async () => {
    for (const viewer of ['app', 'admin', 'owner'] as const) {
      const { data } = await ask(viewer, { role: 'viewer' });
      const seen = await gateway.data(data.authenticateApp.token, '{ viewer { role user { id } app { id } } }');
      expect(seen.viewer).toEqual({
        role: 'viewer',
        user: { id: home.editor.userId },
        app: viewer === 'app' ? { id: 'portal' } : null,
      });
    }
  });

  test('is refused for more than the member may, for a stranger, for another workspace, to editors and viewers', async () => {
    expectFailure(await ask('app', { role: 'admin' }), 'forbidden', /role: this member is editor/);
    expectFailure(await ask('app', { userId: other.viewer.userId, role: 'viewer' }), 'forbidden', /userId/);
    expectFailure(await ask('owner', { tenantId: other.id }), 'forbidden', /tenantId/);
    expectFailure(await ask('editor', {}), 'forbidden');
    expectFailure(await ask('viewer', {}), 'forbidden');
    expectFailure(await ask('app', { role: 'king' }), 'invalid_request', /role/);
  });
});

describe('a role record', () => {
  test('says what a member may do in an app, by whom it was made and changed', async () => {
    const appId = await makeApp();
    const { membershipId } = home.viewer;
    const first = await gateway.data(home.owner, setRole, { input: { membershipId, appId, role: 'editor' } });
    expect(first.setRole.role).toEqual({
      membershipId,
      appId,
      role: 'editor',
      createdBy: home.owner.userId,
      updatedBy: home.owner.userId,
      membership: { id: membershipId },
      app: { name: appId },
    });
    const second = await gateway.data(home.admin, setRole, { input: { membershipId, appId, role: null } });
    expect(second.setRole.role).toMatchObject({
      role: null,
      createdBy: home.owner.userId,
      updatedBy: home.admin.userId,
    });
    expect(await gateway.data(home.viewer, role, { membershipId, appId })).toEqual({ role: { role: null } });
  });

  test('is one, though it is set several times at once', async () => {
    const appId = await makeApp();
    const { membershipId } = home.viewer;
    const set = () => gateway.graphql(home.admin, setRole, { input: { membershipId, appId, role: 'editor' } });
    const answers = await Promise.all([set(), set(), set(), set(), set()]);
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
  });

  test('is null for an unknown pair, and for one of another workspace', async () => {
    const { membershipId } = other.viewer;
    await gateway.data(other.admin, setRole, { input: { membershipId, appId: 'portal', role: 'editor' } });
    expect(await gateway.data(home.owner, role, { membershipId, appId: 'portal' })).toEqual({ role: null });
    expect(await gateway.data(home.owner, role, { membershipId: 'none', appId: 'none' })).toEqual({ role: null });
  });

  test('is not made for a member or an app that is not there', async () => {
    const { membershipId } = home.viewer;
    const theirs = { membershipId: other.viewer.membershipId, appId: 'portal', role: 'viewer' };
    expectFailure(await gateway.graphql(home.owner, setRole, { input: theirs }), 'not_found', /Membership not found/);
    expectFailure(
      await gateway.graphql(home.owner, setRole, { input: { membershipId, appId: 'none' } }),
      'not_found',
      /App not found/,
    );
    expectFailure(
      await gateway.graphql(home.editor, setRole, { input: { membershipId, appId: 'portal' } }),
      'forbidden',
    );
  });

  test('is removed once', async () => {
    const appId = await makeApp();
    const { membershipId } = home.editor;
    await gateway.data(home.admin, setRole, { input: { membershipId, appId, role: 'viewer' } });
    const document =
      'mutation ($input: DeleteRoleInput!) { deleteRole(input: $input) { role { membershipId appId deleted } } }';
    const input = { membershipId, appId };
    expect(await gateway.data(home.admin, document, { input })).toEqual({
      deleteRole: { role: { ...input, deleted: true } },
    });
    expectFailure(await gateway.graphql(home.admin, document, { input }), 'not_found', /Role not found/);
  });

  test('is listed by the app and by the member, a page at a time', async () => {
    const appId = await makeApp();
    const members = [];
    for (const kind of ['viewer', 'editor', 'admin'] as const) members.push(await makeMember(gateway, home.id, kind));
    const createdAt = new Date();
    await gateway.database.appRole.createMany({
      data: members.map(({ membershipId }) => ({
        workspaceId: home.id,
        membershipId: membershipId ?? '',
        appId,
        role: 'viewer' as const,
        createdAt,
      })),
    });
    const document = `query ($id: ID!, $after: String) { app(id: $id) { roleRecords(first: 1, after: $after) { totalCount nodes { membershipId } pageInfo { endCursor hasNextPage } } } }`;
    const seen: string[] = [];
    let after: string | null = null;
    while (seen.length < members.length) {
      const page = await gateway.data(home.viewer, document, { id: appId, after });
      const { totalCount, nodes, pageInfo } = page.app.roleRecords;
      seen.push(nodes[0].membershipId);
      expect([totalCount, pageInfo.hasNextPage]).toEqual([3, seen.length < 3]);
      after = pageInfo.endCursor;
    }
    expect(seen).toEqual(
      members
        .map(({ membershipId }) => membershipId)
        .sort()
        .reverse(),
    );
    const mine = await gateway.data(home.viewer, `{ membership(id: "${seen[0]}") { roles { nodes { appId } } } }`);
    expect(mine.membership.roles.nodes).toEqual([{ appId }]);
  });
});

import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { createWorkspace } from '../../src/domain/workspace/accounts.ts';
import { statementsOf } from '../support/database/database.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeMember, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();

const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { membership { id role user { id name email phone } } } }';
const changeRole = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { membership { role } } }';
const remove = 'mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { membership { id deleted } } }';

describe('the viewer', () => {
  test('of a member is the member, with what the role may do', async () => {
    const document = `{ viewer { role permissions workspace { id } user { id memberships { nodes { id } } } membership { id } app { id } } }`;
    const { viewer } = await gateway.data(home.editor, document);
    expect(viewer).toEqual({
      role: 'editor',
      permissions: expect.arrayContaining(['agents.write', 'leads.read']),
      workspace: { id: home.id },
      user: { id: home.editor.userId, memberships: { nodes: [{ id: home.editor.membershipId }] } },
      membership: { id: home.editor.membershipId },
      app: null,
    });
    expect(viewer.permissions).not.toContain('apps.write');
  });

  test('of an app has no person', async () => {
    const { viewer } = await gateway.data(
      home.app,
      '{ viewer { role user { id } membership { id } app { id name } } }',
    );
    expect(viewer).toEqual({ role: 'app', user: null, membership: null, app: { id: 'portal', name: 'Portal' } });
  });

  test('may change their own profile, and is found by the new name', async () => {
    const person = await makeMember(gateway, home.id, 'viewer');
    const document =
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { viewer { user { name phone picture } } } }';
    const input = { name: 'Zoë Quux', phone: '+5511987654321' };
    const { updateProfile } = await gateway.data(person, document, { input });
    expect(updateProfile.viewer.user).toEqual({ ...input, picture: null });
    const { memberships } = await gateway.data(home.viewer, '{ memberships(search: "ZOE q") { nodes { id } } }');
    expect(memberships.nodes).toEqual([{ id: person.membershipId }]);
    expectFailure(await gateway.graphql(home.app, document, { input }), 'forbidden', /app is not a person/);
    expectFailure(await gateway.graphql(person, document, { input: { phone: '11 9' } }), 'invalid_request', /phone/);
    expectFailure(
      await gateway.graphql(person, document, { input: { picture: 'javascript:1' } }),
      'invalid_request',
      /picture/,
    );
  });

  test('accepts the terms once, by the current version', async () => {
    const person = await makeMember(gateway, home.id, 'viewer');
    expect(await gateway.data(person, '{ termsAccepted }')).toEqual({ termsAccepted: false });
    const accept = 'mutation { acceptTerms(input: {}) { viewer { termsAccepted } } }';
    expect(await gateway.data(person, accept)).toEqual({ acceptTerms: { viewer: { termsAccepted: true } } });
    expect(await gateway.data(person, '{ termsAccepted }')).toEqual({ termsAccepted: true });
    await gateway.database.user.update({ where: { id: person.userId ?? '' }, data: { termsVersion: 'older' } });
    expect(await gateway.data(person, '{ termsAccepted }')).toEqual({ termsAccepted: false });
    expect(await gateway.data(home.app, '{ termsAccepted }')).toEqual({ termsAccepted: false });
    expectFailure(await gateway.graphql(home.app, accept), 'forbidden');
  });
});

describe('a workspace', () => {
  test('relates everything that it holds', async () => {
    const lists = [
      'memberships',
      'apps',
      'subscriptions',
      'agents',
      'leads',
      'fields',
      'bases',
      'plugins',
      'copywriting',
      'documents',
    ];
    const document = `{ workspace { id name settings { merge } usage { current max } ${lists.map((list) => `${list} { totalCount nodes { id } }`).join(' ')} } }`;
    const { workspace } = await gateway.data(other.viewer, document);
    expect(workspace).toMatchObject({ id: other.id, settings: null, usage: { current: 0, max: 1_000 } });
    expect(workspace.memberships.totalCount).toBe(4);
    expect(workspace.apps.nodes).toEqual([{ id: 'portal' }]);
  });

  test('is renamed by an admin, not by an editor, and never without a name', async () => {
    const rename = 'mutation ($input: UpdateWorkspaceInput!) { updateWorkspace(input: $input) { workspace { name } } }';
    const input = { name: ' Renamed ' };
    expect(await gateway.data(home.admin, rename, { input })).toEqual({
      updateWorkspace: { workspace: { name: 'Renamed' } },
    });
    expectFailure(await gateway.graphql(home.editor, rename, { input }), 'forbidden');
    expectFailure(await gateway.graphql(home.admin, rename, { input: { name: ' ' } }), 'invalid_request', /name/);
  });

  test('of others is not there', async () => {
    expect(await gateway.data(home.owner, `{ node(id: "${other.id}") { id } }`)).toEqual({ node: null });
    expect(await gateway.data(home.owner, `{ node(id: "${home.id}") { id } }`)).toEqual({ node: { id: home.id } });
  });

  test('is made with its settings, its built-in fields and its owner, whose email may be known', async () => {
    const email = `founder-${newId('user')}@example.com`;
    const first = await createWorkspace(gateway.services, {
      name: 'First',
      owner: { email: email.toUpperCase(), name: 'Ana' },
    });
    const second = await createWorkspace(gateway.services, { name: 'Second', owner: { email, name: 'Someone else' } });
    expect(first.owner).toMatchObject({ workspaceId: first.workspace.id, role: 'owner' });
    expect(second.owner.userId).toBe(first.owner.userId);
    const viewer = {
      workspaceId: first.workspace.id,
      role: 'owner',
      userId: first.owner.userId,
      membershipId: first.owner.id,
      appId: null,
      credential: 'person',
    } as const;
    const {
      workspace,
      settings,
      viewer: seen,
    } = await gateway.data(
      viewer,
      '{ workspace { fields { totalCount } } settings { merge } viewer { user { name email } } }',
    );
    expect(workspace.fields.totalCount).toBeGreaterThan(0);
    expect(settings.merge).toBe('never');
    expect(seen.user).toEqual({ name: 'Ana', email: email.toLowerCase() });
    const again = createWorkspace(gateway.services, { id: first.workspace.id, name: 'x', owner: { email, name: 'x' } });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a member', () => {
  test('is invited by email, and shown as the inviter described them, whoever else did', async () => {
    const email = `new-${newId('user')}@example.com`;
    const input = { email: email.toUpperCase(), name: 'Nina', role: 'editor', phone: '+5511987654321' };
    const { inviteMember } = await gateway.data(home.admin, invite, { input });
    const user = { id: expect.stringMatching(/^usr_/), name: 'Nina', email, phone: '+5511987654321' };
    expect(inviteMember.membership).toEqual({ id: expect.stringMatching(/^mem_/), role: 'editor', user });
    const there = await gateway.data(other.admin, invite, { input: { email, name: 'Not Nina', role: 'viewer' } });
    expect(there.inviteMember.membership.user).toEqual({ ...user, name: 'Not Nina', phone: null });
    expect(there.inviteMember.membership.user.id).not.toBe(inviteMember.membership.user.id);
    expectFailure(await gateway.graphql(home.admin, invite, { input }), 'conflict', /already invited/);
  });

  test('is invited once when invited several times at once', async () => {
    const input = { email: `twice-${newId('user')}@example.com`, name: 'Twice', role: 'viewer' };
    const answers = await Promise.all([1, 2, 3].map(() => gateway.graphql(home.admin, invite, { input })));
    const messages = answers.map(({ errors }) => errors?.[0]?.message ?? 'joined').toSorted();
    const again = 'email: this person is already invited; the GraphQL mutation renewInvitationLink returns a new link.';
    expect(messages).toEqual([again, again, 'joined']);
  });

  test.each([
    [{ email: 'nobody', name: 'x', role: 'viewer' }, /email/],
    [{ email: 'a@example.com', name: ' ', role: 'viewer' }, /name: must not be empty/],
    [{ email: 'a@example.com', name: 'x', role: 'king' }, /role/],
    [{ email: 'a@example.com', name: 'x', role: 'viewer', phone: '123' }, /phone/],
    [{ email: 'a@example.com', name: 'x', role: 'viewer', picture: 'cat.png' }, /picture/],
  ])('is refused with %j', async (input, message) => {
    expectFailure(await gateway.graphql(home.admin, invite, { input }), 'invalid_request', message);
  });

  test('is found by name and email, and listed with the person and their roles in apps', async () => {
    const email = `findme-${newId('user')}@example.com`;
    await gateway.data(home.admin, invite, { input: { email, name: 'João Núñez', role: 'viewer' } });
    const find = async (search: string) => {
      const document =
        'query ($search: String) { memberships(search: $search) { nodes { user { email } roles { totalCount } } } }';
      return (await gateway.data(home.viewer, document, { search })).memberships.nodes;
    };
    expect(await find('joao nunez')).toEqual([{ user: { email }, roles: { totalCount: 0 } }]);
    expect(await find('FINDME-')).toHaveLength(1);
    expect(await find('_oao')).toEqual([]);
  });

  test('gets another role from an admin, but never from an editor', async () => {
    const { membershipId: id } = await makeMember(gateway, home.id, 'viewer');
    const { updateMember } = await gateway.data(home.admin, changeRole, { input: { id, role: 'editor' } });
    expect(updateMember.membership.role).toBe('editor');
    expectFailure(await gateway.graphql(home.editor, changeRole, { input: { id, role: 'admin' } }), 'forbidden');
    expectFailure(await gateway.graphql(home.app, changeRole, { input: { id, role: 'admin' } }), 'forbidden');
  });

  test('is made, changed and removed as an owner by an owner alone', async () => {
    const { membershipId: id } = await makeMember(gateway, home.id, 'owner');
    const email = `boss-${newId('user')}@example.com`;
    expectFailure(
      await gateway.graphql(home.admin, invite, { input: { email, name: 'B', role: 'owner' } }),
      'forbidden',
      /owner/,
    );
    expectFailure(await gateway.graphql(home.admin, changeRole, { input: { id, role: 'viewer' } }), 'forbidden');
    const own = { id: home.admin.membershipId, role: 'owner' };
    expectFailure(await gateway.graphql(home.admin, changeRole, { input: own }), 'forbidden');
    expectFailure(await gateway.graphql(home.admin, remove, { input: { id } }), 'forbidden');
    expect(await gateway.data(home.owner, remove, { input: { id } })).toEqual({
      removeMember: { membership: { id, deleted: true } },
    });
  });

  test('loses the bearer with the membership', async () => {
    const person = await makeMember(gateway, home.id, 'viewer');
    await gateway.data(person, '{ viewer { role } }');
    await gateway.data(home.admin, remove, { input: { id: person.membershipId } });
    expect((await gateway.rest(person, 'GET', '/rest/agents')).status).toBe(401);
  });

  test('who is the last owner stays one', async () => {
    const workspace = await makeWorkspace(gateway);
    const id = workspace.owner.membershipId;
    expectFailure(await gateway.graphql(workspace.owner, remove, { input: { id } }), 'conflict', /last owner/);
    expectFailure(
      await gateway.graphql(workspace.owner, changeRole, { input: { id, role: 'admin' } }),
      'conflict',
      /last owner/,
    );
    const same = await gateway.data(workspace.owner, changeRole, { input: { id, role: 'owner' } });
    expect(same.updateMember.membership.role).toBe('owner');
  });

  test('of two owners who remove each other at once, one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const workspace = await makeWorkspace(gateway);
      const second = await makeMember(gateway, workspace.id, 'owner');
      for (const owner of [workspace.owner, second]) await gateway.data(owner, '{ viewer { role } }');
      const answers = await Promise.all([
        gateway.graphql(workspace.owner, remove, { input: { id: second.membershipId } }),
        gateway.graphql(second, changeRole, { input: { id: workspace.owner.membershipId, role: 'viewer' } }),
      ]);
      const owners = await gateway.database.membership.count({ where: { workspaceId: workspace.id, role: 'owner' } });
      expect([owners, answers.filter(({ data }) => data?.removeMember || data?.updateMember).length]).toEqual([1, 1]);
    }
  });

  test('is read with the person, apps and roles in as many statements as there are lists, however many members', async () => {
    const document =
      '{ memberships { nodes { user { name memberships { nodes { id } } } roles { nodes { app { name secret } } } } } }';
    const count = (workspace: TestWorkspace) =>
      withStoppedClock(async () => {
        await gateway.data(workspace.viewer, document);
        return (await statementsOf(() => gateway.data(workspace.viewer, document))).statements.length;
      });
    const small = await makeWorkspace(gateway);
    const before = await count(small);
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      const { membershipId } = await makeMember(gateway, small.id, role);
      const data = { workspaceId: small.id, membershipId: membershipId ?? '', appId: 'portal', role };
      await gateway.database.appRole.create({ data });
    }
    expect(await count(small)).toBe(before);
    expect(before).toBe(1);
  });

  test('of another workspace is not found, nor is the person', async () => {
    const { membershipId: id, userId } = other.viewer;
    expectFailure(
      await gateway.graphql(home.owner, `{ membership(id: "${id}") { id } }`),
      'not_found',
      /Membership not found/,
    );
    expectFailure(await gateway.graphql(home.owner, changeRole, { input: { id, role: 'viewer' } }), 'not_found');
    expectFailure(await gateway.graphql(home.owner, remove, { input: { id } }), 'not_found');
    const { nodes } = await gateway.data(home.owner, `{ nodes(ids: ["${id}", "${userId}"]) { id } }`);
    expect(nodes).toEqual([null, null]);
  });

  test('of two workspaces shows only the membership of the one that asks', async () => {
    const email = `both-${newId('user')}@example.com`;
    const here = (await gateway.data(home.admin, invite, { input: { email, name: 'Both', role: 'viewer' } }))
      .inviteMember.membership;
    await gateway.data(other.owner, invite, { input: { email, name: 'Both', role: 'owner' } });
    const document =
      'query ($id: ID!) { node(id: $id) { ... on User { email memberships { totalCount nodes { id role } } } } }';
    const { node } = await gateway.data(home.viewer, document, { id: here.user.id });
    expect(node).toEqual({ email, memberships: { totalCount: 1, nodes: [{ id: here.id, role: 'viewer' }] } });
  });
});

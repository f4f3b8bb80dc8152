import { describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import {
  accepting,
  declining,
  inviting,
  listing,
  newEmail,
  removing,
  useInvitations,
} from '../support/auth/invitations.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeMember, makeWorkspace } from '../support/gateway/factories.ts';

const { gateway, home, other, invite, ownToken, seen, statusOf } = useInvitations();

/** An invited member whose link the admin opened, so the email address is unverified. */
async function acceptByLink(by: Viewer, email = newEmail(), given: object = {}) {
  const { id, secret, userId } = await invite(by, email, given);
  await gateway.data(secret as never, accepting, { id });
  return { id, email, userId, workspaceId: by.workspaceId };
}

/** A token from POST /apps/auth for a member. */
async function mintedFor(by: Viewer, userId: string, role = 'editor'): Promise<string> {
  const body = { userId, role, tenantId: by.workspaceId };
  const answer = await gateway.rest(by, 'POST', '/rest/apps/auth', body);
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { token: string }).token;
}

describe('a member by link', () => {
  test('is one workspace’s alone: another invites the same email and has its link accepted', async () => {
    const email = newEmail();
    const here = await acceptByLink(home.admin, email, { name: 'Here', phone: '+5511900000001' });
    const there = await acceptByLink(other.admin, email, { name: 'There', phone: '+5511900000002' });
    expect(await seen(home.viewer, here.id)).toMatchObject({ user: { name: 'Here', phone: '+5511900000001' } });
    expect(await seen(other.viewer, there.id)).toMatchObject({ user: { name: 'There', phone: '+5511900000002' } });
    expect(here.userId).not.toBe(there.userId);
    for (const [viewer, theirs] of [[home.admin, there] as const, [other.admin, here] as const]) {
      const { node } = await gateway.data(viewer, '{ node(id: "ID") { id } }'.replace('ID', theirs.userId));
      expect(node).toBeNull();
      const { body } = await gateway.rest(viewer, 'GET', `/rest/memberships?search=${email}`);
      expect(JSON.stringify(body)).not.toContain(theirs.userId);
    }
    expect(await gateway.database.user.count({ where: { email, invitedTo: '' } })).toBe(0);
  });

  test('shares no terms with whoever has the email elsewhere, and changes no profile', async () => {
    const email = newEmail();
    const [here, there] = [await acceptByLink(home.admin, email), await acceptByLink(other.admin, email)];
    const data = { termsVersion: gateway.services.config.termsVersion, termsAcceptedAt: new Date() };
    await gateway.database.user.update({ where: { id: here.userId }, data });
    const terms = async (by: Viewer, userId: string) =>
      (await gateway.rest(await mintedFor(by, userId), 'GET', '/rest/terms')).body;
    expect([await terms(home.admin, here.userId), await terms(other.admin, there.userId)]).toEqual([true, false]);
    const minted = await mintedFor(home.admin, here.userId);
    const rename = 'mutation { updateProfile(input: { name: "Squatter" }) { viewer { role } } }';
    expectFailure(await gateway.graphql(minted, rename), 'forbidden');
  });

  test('is a member all the same: found, not invited again, counted, removed whole', async () => {
    const there = await makeWorkspace(gateway);
    const { id, email, userId } = await acceptByLink(there.admin);
    const again = { input: { email, name: 'Again', role: 'viewer' } };
    expectFailure(await gateway.graphql(there.admin, inviting, again), 'conflict', /already/);
    const filter = '{ memberships(filter: { accepted: true }) { nodes { id } } }';
    expect((await gateway.data(there.viewer, filter)).memberships.nodes).toContainEqual({ id });
    await gateway.data(there.admin, removing, { id });
    expect(await gateway.database.user.findUnique({ where: { id: userId } })).toBeNull();
    expect(await acceptByLink(other.admin, email)).toMatchObject({ email });
  });
});

describe('whoever proves the email', () => {
  test('acts in no workspace by what a link accepted, and is shown it as an invitation', async () => {
    const email = newEmail();
    const { id } = await acceptByLink(home.admin, email);
    const token = await ownToken(email);
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({
      role: 'invited',
      workspace: null,
      invitations: [{ id, role: 'editor', email }],
    });
    expectFailure(await gateway.graphql(token, '{ agents { totalCount } }'), 'forbidden');
  });

  test.each([
    ['by email', ({ email }: { email: string }) => ({ userId: email })],
    ['by id', ({ userId }: { userId: string }) => ({ userId })],
    ['by id, in the workspace', (one: { userId: string; workspaceId: string }) => one],
  ])('is whom the operator names %s', async (_, named) => {
    const { id, ...member } = await acceptByLink(home.admin);
    const request = named(member);
    const { userId, workspaceId } = request as { userId: string; workspaceId?: string };
    const token = await issueToken(gateway.services, workspaceId ? { userId, workspaceId } : { userId });
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({
      role: 'invited',
      invitations: [{ id }],
    });
  });

  test('takes the membership over by accepting it, as somebody new, and ends what was got by the link', async () => {
    const { id, email, userId } = await acceptByLink(home.admin);
    const squatter = await mintedFor(home.admin, userId);
    const { createAgent } = await gateway.data(
      squatter as never,
      'mutation { createAgent(input: { name: "Theirs" }) { agent { id createdBy } } }',
    );
    expect(createAgent.agent.createdBy).toBe(userId);
    const token = await ownToken(email);
    await gateway.data(token as never, accepting, { id });
    expect(await statusOf(squatter)).toBe(401);
    const person = await gateway.database.user.findUniqueOrThrow({
      where: { email_invitedTo: { email, invitedTo: '' } },
      include: { memberships: true },
      relationLoadStrategy: 'query',
    });
    expect(person.id).not.toBe(userId);
    expect(person.memberships).toMatchObject([{ id, workspaceId: home.id, acceptedByLink: false }]);
    const agent = await gateway.database.agent.findFirstOrThrow({ where: { id: createAgent.agent.id } });
    expect(agent.createdBy).toBe(userId);
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({ role: 'editor', invitations: [] });
    expectFailure(await gateway.graphql(token, accepting, { id }), 'not_found');
  });

  test('keeps their own profile where a link was accepted in their name', async () => {
    const email = newEmail();
    const { id } = await acceptByLink(home.admin, email, { phone: '+5511900000003' });
    const { id: own } = await invite(other.admin, email, { name: 'Real', phone: null });
    const token = await ownToken(email);
    await gateway.data(token as never, accepting, { id: own });
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({ workspace: { id: other.id } });
    expect(await seen(home.viewer, id)).toMatchObject({ user: { name: 'As given', phone: '+5511900000003' } });
    await gateway.data(token as never, accepting, { id });
    expect(await seen(home.viewer, id)).toMatchObject({ user: { name: 'Real', phone: null } });
  });

  test('has it removed by declining, but not where that leaves no owner', async () => {
    const there = await makeWorkspace(gateway);
    const { id, email, userId } = await acceptByLink(there.owner, newEmail(), { role: 'owner' });
    const token = await ownToken(email);
    const demote = 'mutation ($id: ID!) { updateMember(input: { id: $id, role: admin }) { membership { id } } }';
    await gateway.data(there.owner, demote, { id: there.owner.membershipId });
    expectFailure(await gateway.graphql(token, declining, { id }), 'conflict', /last owner/);
    await gateway.database.membership.updateMany({
      where: { id: there.owner.membershipId ?? '' },
      data: { role: 'owner' },
    });
    await gateway.data(token as never, declining, { id });
    expect(await seen(there.viewer, id)).toBeFalsy();
    expect(await gateway.database.user.findUnique({ where: { id: userId } })).toBeNull();
  });

  test('may be a member of several workspaces, and answers by the operator’s token all the same', async () => {
    const person = await makeMember(gateway, home.id, 'viewer');
    const where = { id: person.userId ?? '' };
    const { email } = await gateway.database.user.findUniqueOrThrow({ where });
    const there = await makeWorkspace(gateway);
    for (const by of [other.admin, there.admin]) {
      const { id } = await invite(by, email);
      await gateway.data((await ownToken(email)) as never, accepting, { id });
    }
    expect(await gateway.database.membership.count({ where: { userId: where.id } })).toBe(3);
  });
});

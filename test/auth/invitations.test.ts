import { describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import {
  accepting,
  declining,
  inviting,
  listing,
  newEmail,
  removing,
  renewing,
  secretOf,
  useInvitations,
} from '../support/auth/invitations.ts';
import { contentsOf } from '../support/database/rows-of.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld } from '../support/world/world.ts';

const { gateway, home, other, invite, seen, ownToken, statusOf, knownPerson } = useInvitations();

describe('whoever is invited', () => {
  test('is shown as the inviter described them, whether or not somebody has that email', async () => {
    const { email } = await knownPerson();
    const known = await invite(home.admin, email);
    const unknown = await invite(home.admin, newEmail());
    const shape = { id: expect.stringMatching(/^usr_/), name: 'As given', phone: null, picture: null };
    expect([known.user, unknown.user]).toEqual([
      { ...shape, email },
      { ...shape, email: unknown.user.email },
    ]);
    expect([known.acceptedAt, unknown.acceptedAt]).toEqual([null, null]);
    const { body } = await gateway.rest(home.admin, 'GET', `/rest/memberships?search=${email}`);
    expect(body).toEqual([
      {
        type: 'membership',
        data: expect.objectContaining({
          id: known.id,
          user: expect.objectContaining({ name: 'As given', phone: null }),
        }),
      },
    ]);
  });

  test('is told apart from members by a filter', async () => {
    const there = await makeWorkspace(gateway);
    const { id } = await invite(there.owner, newEmail());
    const count = 'query ($accepted: Boolean) { memberships(filter: { accepted: $accepted }) { nodes { id } } }';
    expect((await gateway.data(there.viewer, count, { accepted: false })).memberships.nodes).toEqual([{ id }]);
    expect((await gateway.data(there.viewer, count, { accepted: true })).memberships.nodes).toHaveLength(4);
    expect((await gateway.data(there.viewer, count)).memberships.nodes).toHaveLength(5);
  });

  test('counts for no token, neither by their own id nor by that of what was given', async () => {
    const { person, email } = await knownPerson();
    const { userId } = await invite(home.owner, email, { role: 'owner' });
    for (const id of [userId, person.userId]) {
      const body = { userId: id, role: 'viewer', tenantId: home.id };
      expect(await gateway.rest(home.owner, 'POST', '/rest/apps/auth', body)).toMatchObject({ status: 403 });
    }
    const token = await issueToken(gateway.services, { userId: email, workspaceId: home.id });
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({ invitations: [{ role: 'owner' }] });
    expect((await gateway.rest(token, 'GET', '/rest/memberships')).body).not.toContainEqual(home.id);
  });

  test('is no other owner, whatever the invitation says', async () => {
    const there = await makeWorkspace(gateway);
    await invite(there.owner, newEmail(), { role: 'owner' });
    const demote = `mutation ($id: ID!) { updateMember(input: { id: $id, role: editor }) { membership { role } } }`;
    for (const document of [demote, removing])
      expectFailure(await gateway.graphql(there.owner, document, { id: there.owner.membershipId }), 'conflict', /last/);
  });

  test('to be an owner is invited, and given a new link, by an owner alone', async () => {
    const { id } = await invite(home.owner, newEmail(), { role: 'owner' });
    expectFailure(await gateway.graphql(home.admin, renewing, { id }), 'forbidden', /owner/);
    const toAdmin = `mutation ($id: ID!) { updateMember(input: { id: $id, role: admin }) { membership { role } } }`;
    expectFailure(await gateway.graphql(home.admin, toAdmin, { id }), 'forbidden', /owner/);
    await gateway.data(home.owner, toAdmin, { id });
    await gateway.data(home.admin, renewing, { id });
  });

  test('keeps what is theirs from every call of an admin who invited them', async () => {
    const { person, email, id } = await knownPerson();
    const before = await gateway.database.user.findUniqueOrThrow({ where: { id } });
    const theirs = await contentsOf(gateway, other.id);
    const world = await makeWorld(gateway);
    const pending = await invite(world.admin, email);
    const ids = { ...world.ids, userId: id, membershipId: pending.id, pendingMembershipId: pending.id };
    const named: Record<string, object> = { node: { id }, nodes: { ids: [id, person.membershipId] } };
    const ends = ['removeMember'];
    for (const root of ['Query', 'Mutation'] as const) {
      const fields = rootFields(root).toSorted((a, b) => ends.indexOf(a.name) - ends.indexOf(b.name));
      for (const field of fields) {
        const byId = Object.fromEntries(field.args.map(({ name }) => [name, name === 'id' ? pending.id : undefined]));
        const given = root === 'Query' ? (named[field.name] ?? byId) : { input: inputs[field.name]?.(ids) };
        const text = JSON.stringify(await gateway.graphql(world.admin, documentOf(root, field), given));
        for (const mark of [before.phone, before.picture, before.name, person.membershipId])
          expect([field.name, mark, text.includes(`${mark}`)]).toEqual([field.name, mark, false]);
      }
    }
    expect(await gateway.database.user.findUniqueOrThrow({ where: { id } })).toEqual(before);
    expect(await contentsOf(gateway, other.id)).toEqual(theirs);
    expect(await gateway.database.membership.count({ where: { userId: id } })).toBe(1);
  });
});

describe('a person', () => {
  test('sees and accepts their invitations by a token of their own, and is shown then', async () => {
    const { person, email, name, phone } = await knownPerson();
    const { id } = await invite(home.admin, email);
    const { viewer } = await gateway.data(person, listing);
    expect(viewer.invitations).toEqual([{ id, workspaceName: expect.any(String), role: 'editor', email }]);
    const { acceptInvitation } = await gateway.data(person, accepting, { id });
    const invitation = { id, workspaceId: home.id, role: 'editor', acceptedAt: expect.any(String) };
    expect(acceptInvitation.invitation).toEqual(invitation);
    expect(await seen(home.viewer, id)).toEqual({ acceptedAt: invitation.acceptedAt, user: { name, phone } });
    expect((await gateway.data(person, listing)).viewer.invitations).toEqual([]);
    expectFailure(await gateway.graphql(person, accepting, { id }), 'not_found');
    expectFailure(await gateway.graphql(home.admin, inviting, { input: { email, name, role: 'viewer' } }), 'conflict');
    const token = await issueToken(gateway.services, { userId: email, workspaceId: home.id });
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({ role: 'editor' });
    expect(await gateway.database.user.count({ where: { email } })).toBe(1);
  });

  test.each(['minted', 'operator'] as const)('answers nothing by a token that is %s', async (credential) => {
    const { person, email } = await knownPerson();
    const { id } = await invite(home.admin, email);
    const bearer = { ...person, credential };
    expect((await gateway.data(bearer, listing)).viewer.invitations).toEqual([]);
    for (const document of [accepting, declining])
      expectFailure(await gateway.graphql(bearer, document, { id }), 'forbidden');
    expectFailure(await gateway.graphql(home.app, accepting, { id }), 'forbidden');
  });

  test('of another email does not find the invitation', async () => {
    const { id, secret } = await invite(home.admin, newEmail());
    const { id: another } = await invite(home.admin, newEmail());
    for (const document of [accepting, declining]) {
      expectFailure(await gateway.graphql(home.owner, document, { id }), 'not_found');
      expectFailure(await gateway.graphql(secret, document, { id: another }), 'not_found');
    }
  });

  test('who is accepted nowhere has a token of their own, which does nothing but answer', async () => {
    const email = newEmail();
    const { id } = await invite(home.admin, email);
    const token = await ownToken(email.toUpperCase());
    const { viewer } = await gateway.data(token as never, listing);
    expect(viewer).toMatchObject({ role: 'invited', workspace: null, invitations: [{ id }] });
    for (const field of rootFields('Query')) {
      const variables = Object.fromEntries(field.args.map(({ name }) => [name, name === 'ids' ? [home.id] : home.id]));
      const answer = await gateway.graphql(token, documentOf('Query', field, 0), variables);
      const code = answer.errors?.[0]?.extensions.code ?? null;
      if (['viewer', 'termsAccepted', 'node', 'nodes'].includes(field.name))
        expect([field.name, code]).toEqual([field.name, null]);
      else
        expect([field.name, code]).toEqual([field.name, expect.stringMatching(/forbidden|not_found|invalid_request/)]);
      expect(JSON.stringify(answer.data ?? {})).not.toContain(home.id);
    }
    await gateway.data(token as never, accepting, { id });
    expect((await gateway.data(token as never, listing)).viewer).toMatchObject({ role: 'editor', invitations: [] });
    await expect(ownToken(newEmail())).rejects.toMatchObject({
      code: expect.stringMatching(/not_found|invalid_request/),
    });
  });

  test('declines, after which nothing is left and they may be invited again', async () => {
    const { person, email } = await knownPerson();
    const { id, userId } = await invite(home.admin, email);
    await gateway.data(person, declining, { id });
    expect(await gateway.database.user.findUnique({ where: { id: userId } })).toBeNull();
    expect(await seen(home.viewer, id)).toBeFalsy();
    const again = await invite(home.admin, email);
    await gateway.data(home.admin, removing, { id: again.id });
    expect(await gateway.database.user.count({ where: { email } })).toBe(1);
  });
});

describe('the link of an invitation', () => {
  test('makes a member of an email that nobody has, once, and gives no token', async () => {
    const email = newEmail();
    const { id, secret, userId } = await invite(home.admin, email, { phone: '+5511987654321' });
    expect((await gateway.data(secret as never, listing)).viewer).toMatchObject({
      role: 'invited',
      invitations: [{ id }],
    });
    const answer = await gateway.graphql(secret, accepting, { id });
    expect(answer.data.acceptInvitation.invitation).toMatchObject({ id, workspaceId: home.id });
    expect(await seen(home.viewer, id)).toMatchObject({ user: { name: 'As given', phone: '+5511987654321' } });
    expect(await statusOf(secret)).toBe(401);
    const body = { userId, role: 'editor', tenantId: home.id };
    expect(await gateway.rest(home.owner, 'POST', '/rest/apps/auth', body)).toMatchObject({ status: 200 });
  });

  test('does not accept for somebody who is known: whoever passes it on has it too', async () => {
    const { email } = await knownPerson();
    const { id, secret } = await invite(home.admin, email);
    expectFailure(await gateway.graphql(secret, accepting, { id }), 'conflict', /token of your own/);
    expect(await seen(home.viewer, id)).toMatchObject({ acceptedAt: null });
    await gateway.data(secret as never, declining, { id });
    expect(await statusOf(secret)).toBe(401);
  });

  test('is replaced by a new one, ends with the invitation, and after seven days', async () => {
    const { id, secret, link } = await invite(home.admin, newEmail());
    const life = new Date(link.expiresAt).getTime() - Date.now();
    expect(life).toBeGreaterThan(6.9 * 86_400_000);
    expect(life).toBeLessThan(7.1 * 86_400_000);
    const renewed = secretOf((await gateway.data(home.admin, renewing, { id })).renewInvitationLink.link.url);
    expect([await statusOf(secret), await statusOf(renewed)]).toEqual([401, 200]);
    await gateway.database.membership.updateMany({ where: { id }, data: { linkExpiresAt: new Date(Date.now() - 1) } });
    expectFailure(await gateway.graphql(renewed, accepting, { id }), 'not_found');
    await gateway.services.tokens.forget();
    expect(await statusOf(renewed)).toBe(401);
    const last = secretOf((await gateway.data(home.admin, renewing, { id })).renewInvitationLink.link.url);
    await gateway.data(home.admin, removing, { id });
    expect(await statusOf(last)).toBe(401);
    expectFailure(await gateway.graphql(home.admin, renewing, { id }), 'not_found');
  });

  test('is kept as a hash alone', async () => {
    const { id, secret } = await invite(home.admin, newEmail());
    const row = await gateway.database.membership.findFirstOrThrow({ where: { id } });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(secret).toMatch(/^inv_[\w-]{43}$/);
    expect(
      JSON.stringify(await gateway.graphql(home.owner, `{ membership(id: "${id}") { linkExpiresAt } }`)),
    ).not.toContain(secret);
  });

  test('opens a page that says what to do, and accepts nothing by being opened', async () => {
    const { id, link } = await invite(home.admin, newEmail());
    const page = await gateway.app.request(new URL(link.url).pathname, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('<h1>Invitation</h1>');
    const style = await gateway.app.request('/invitation/page.css');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    const script = await gateway.app.request('/invitation/start.js');
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(await script.text()).toContain('acceptInvitation');
    expect(await seen(home.viewer, id)).toMatchObject({ acceptedAt: null });
    expect((await gateway.app.request('/invitation', { method: 'POST' })).status).toBe(405);
  });
});

import { describe, expect, test } from 'vitest';
import { migrationOf, readUpgrades } from '../../src/database/migrations.ts';
import { accepting, newEmail, removing, useInvitations } from '../support/auth/invitations.ts';
import { makeMember } from '../support/gateway/factories.ts';

const { gateway, home, other, invite, ownToken, knownPerson } = useInvitations();

const peopleWith = (email: string) =>
  // By two statements: a cluster refuses to join a person with the members of all workspaces.
  gateway.database.user.findMany({ where: { email }, include: { memberships: true }, relationLoadStrategy: 'query' });

describe('at once', () => {
  test('accepted twice, it is accepted once', async () => {
    const { id, secret } = await invite(home.admin, newEmail());
    const answers = await Promise.all([1, 2, 3, 4].map(() => gateway.graphql(secret, accepting, { id })));
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'accepted').toSorted();
    expect(codes[0]).toBe('accepted');
    expect(codes.slice(1).every((code) => ['not_found', 'unauthorized', 'conflict'].includes(code))).toBe(true);
  });

  test('removed and accepted, it is gone, and the person is whole', async () => {
    for (let round = 0; round < 5; round++) {
      const { person, email } = await knownPerson();
      const { id, userId } = await invite(home.admin, email);
      await Promise.all([gateway.graphql(person, accepting, { id }), gateway.graphql(home.admin, removing, { id })]);
      expect(await gateway.database.membership.findFirst({ where: { id } })).toBeNull();
      expect(await gateway.database.user.findUnique({ where: { id: userId } })).toBeNull();
      expect(await gateway.database.user.findUniqueOrThrow({ where: { id: person.userId ?? '' } })).toMatchObject({
        email,
      });
    }
  });

  test('accepted in two workspaces by their own token, one email is one person', async () => {
    const email = newEmail();
    const invitations = [await invite(home.admin, email), await invite(other.admin, email)];
    const token = await ownToken(email);
    await Promise.all(invitations.map(({ id }) => gateway.data(token as never, accepting, { id })));
    const users = await peopleWith(email);
    expect(users).toMatchObject([{ invitedTo: '', memberships: [{}, {}] }]);
  });

  test('accepted by link and by their own token, it is the person’s', async () => {
    for (let round = 0; round < 5; round++) {
      const email = newEmail();
      const { id, secret } = await invite(home.admin, email);
      const token = await ownToken(email);
      const [byToken, byLink] = await Promise.all([
        gateway.graphql(token, accepting, { id }),
        gateway.graphql(secret, accepting, { id }),
      ]);
      expect(byToken.errors).toBeUndefined();
      expect(byLink.errors?.[0]?.extensions.code ?? 'accepted').toMatch(/accepted|not_found|unauthorized|conflict/);
      const users = await peopleWith(email);
      expect(users).toMatchObject([{ invitedTo: '', memberships: [{ id, acceptedByLink: false }] }]);
    }
  });
});

describe('at the upgrade', () => {
  test('whoever is a member stays one, as of the day they became one', async () => {
    const { membershipId } = await makeMember(gateway, home.id, 'viewer');
    const { script } = readUpgrades().find(({ name }) => name.endsWith('_invitations')) ?? migrationOf('none', '');
    const update = script.slice(script.indexOf('UPDATE'));
    const createdAt = new Date('2024-02-03T04:05:06Z');
    await gateway.database.membership.updateMany({ where: { id: membershipId ?? '' }, data: { createdAt } });
    await gateway.handle.pool.query(`${update.trim().replace(/;$/, '')} WHERE id = $1`, [membershipId]);
    const { acceptedAt } = await gateway.database.membership.findFirstOrThrow({ where: { id: membershipId ?? '' } });
    expect(acceptedAt).toEqual(createdAt);
  });
});

import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeMember } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { membership { user { email } } } }';
const search = 'query ($term: String) { memberships(search: $term) { nodes { user { email } } } }';

describe('the domain of an email', () => {
  test.each([
    ['Ana@Müller.de', 'ana@xn--mller-kva.de', 'müller.de'],
    ['ana@mu\u0308ller.com', 'ana@xn--mller-kva.com', 'müller.com'],
    ['ana@XN--MLLER-KVA.net', 'ana@xn--mller-kva.net', 'müller.net'],
    ['ana@straße.example', 'ana@xn--strae-oqa.example', 'straße'],
    ['ana@пример.рф', 'ana@xn--e1afmkfd.xn--p1ai', 'пример'],
    ['ana@例え.jp', 'ana@xn--r8jz45g.jp', '例え'],
    ['ana@plain.example', 'ana@plain.example', 'plain'],
  ])('%s of an invitation is stored as punycode, and a person is found by both', async (email, stored, written) => {
    const input = { email, name: 'Ana', role: 'viewer' };
    const { inviteMember } = await gateway.data(home.admin, invite, { input });
    expect(inviteMember.membership.user.email).toBe(stored);
    const again = { input: { ...input, email: stored.toUpperCase() } };
    expectFailure(await gateway.graphql(home.admin, invite, again), 'conflict', /already invited/);
    for (const term of [stored, written]) {
      const { memberships } = await gateway.data(home.admin, search, { term });
      expect(memberships.nodes).toEqual([{ user: { email: stored } }]);
    }
  });

  test('may be written either way where a token is issued for a person', async () => {
    const email = 'odo@xn--mller-kva.org';
    const { userId } = await makeMember(gateway, home.id, 'viewer');
    await gateway.database.user.update({ where: { id: userId ?? '' }, data: { email } });
    for (const written of [email, 'Odo@Müller.org']) {
      const bearer = await issueToken(gateway.services, { userId: written, workspaceId: home.id });
      expect(JSON.stringify(decodeJwt(bearer))).toContain(userId);
    }
  });

  test('that is none is refused', async () => {
    const input = { email: 'ana@mü ller.de', name: 'Ana', role: 'viewer' };
    expectFailure(await gateway.graphql(home.admin, invite, { input }), 'invalid_request', /email/i);
  });
});

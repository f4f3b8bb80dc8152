import { issueToken } from '../../../src/auth/issue.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { newId } from '../../../src/database/ids.ts';
import { makeMember } from '../gateway/factories.ts';
import { useWorkspaces } from '../gateway/workspaces.ts';

export const inviting = `mutation ($input: InviteMemberInput!) { inviteMember(input: $input) {
  membership { id role acceptedAt userId user { id name email phone picture } } link { url expiresAt } } }`;
export const renewing = `mutation ($id: ID!) { renewInvitationLink(input: { id: $id }) { link { url } } }`;
export const accepting = `mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { id: membershipId workspaceId role acceptedAt } } }`;
export const declining = `mutation ($id: ID!) { declineInvitation(input: { id: $id }) { invitation { id deleted } } }`;
export const removing = `mutation ($id: ID!) { removeMember(input: { id: $id }) { membership { deleted } } }`;
export const listing = '{ viewer { role workspace { id } invitations { id: membershipId workspaceName role email } } }';

let count = 0;
export const newEmail = () => `invited-${++count}-${newId('user').slice(-8)}@example.com`;
export const secretOf = (url: string) => url.split('#')[1] ?? '';

/** Two workspaces, with helpers for invitations. */
export function useInvitations() {
  const { gateway, home, other } = useWorkspaces();
  return {
    gateway,
    home,
    other,
    async invite(by: Viewer, email: string, given: object = {}) {
      const input = { email, name: 'As given', role: 'editor', ...given };
      const { membership, link } = (await gateway.data(by, inviting, { input })).inviteMember;
      return { ...membership, secret: secretOf(link.url), link };
    },
    /** A membership as a viewer sees it. */
    async seen(viewer: Viewer, id: string) {
      const query = `{ membership(id: "${id}") { acceptedAt user { name phone } } }`;
      return (await gateway.graphql(viewer, query)).data?.membership;
    },
    /** A person's own token; the person may not be a member of any workspace. */
    ownToken: (email: string) => issueToken(gateway.services, { userId: email }),
    statusOf: async (bearer: string) => (await gateway.rest(bearer, 'GET', '/rest/terms')).status,
    /** A member of the other workspace, with a phone number and a picture. */
    async knownPerson() {
      const person = await makeMember(gateway, other.id, 'editor');
      const data = { phone: '+5511912345678', picture: 'https://example.com/private.png' };
      return { person, ...(await gateway.database.user.update({ where: { id: person.userId ?? '' }, data })) };
    },
  };
}

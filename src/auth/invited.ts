import type { Credential, Viewer } from '../context.ts';
import type { Database } from '../database/client.ts';
import { unauthorized } from '../errors.ts';

type Invitee = NonNullable<Viewer['invitee']>;

/** Somebody who acts in no workspace: no row is theirs, no permission, and all they may do is answer invitations. */
export const invited = (invitee: Invitee, credential: Credential, userId: string | null = null): Viewer => ({
  workspaceId: '',
  role: 'invited',
  credential,
  userId,
  membershipId: null,
  appId: null,
  invitee,
});

/**
 * Whoever has proven that an email is theirs: the member, in `workspace` or else in the only one of theirs, or somebody who
 * has only invitations to answer. What they have not accepted does not count. Throws 401 `unauthorized`.
 */
export async function viewerOfPerson(database: Database, email: string, workspace?: string): Promise<Viewer> {
  const [member, another] = await database.membership.findMany({
    where: { user: { email, invitedTo: '' }, acceptedAt: { not: null }, ...(workspace && { workspaceId: workspace }) },
    orderBy: { acceptedByLink: 'asc' },
    take: 2,
  });
  // One that somebody else may have accepted by a link must not keep the person from the one that they accepted.
  if (another && another.acceptedByLink === member?.acceptedByLink)
    throw unauthorized('Member of several workspaces: the token must name one in its claim `workspace`.');
  if (member) {
    const { id, workspaceId, userId, role } = member;
    return { workspaceId, role, credential: 'person', userId, membershipId: id, appId: null, invitee: { email } };
  }
  if (!(await isInvited(database, email))) {
    throw unauthorized('Nobody with this email is a member of a workspace here, or invited to one.');
  }
  const user = await database.user.findFirst({ where: { email, invitedTo: '' }, select: { id: true } });
  return invited({ email }, 'person', user?.id);
}

/** Whether somebody has an invitation to answer, to the workspace when one is named. */
export async function isInvited(database: Database, email: string, workspaceId?: string): Promise<boolean> {
  const where = { acceptedAt: null, user: { email, invitedTo: { not: '' } }, ...(workspaceId && { workspaceId }) };
  return (await database.membership.findFirst({ where, select: { id: true } })) !== null;
}

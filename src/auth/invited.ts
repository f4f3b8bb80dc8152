import { unauthorized } from '../core/errors.ts';
import type { Credential, Viewer } from '../core/viewer.ts';
import type { Database, Transaction } from '../database/client.ts';
import { findPerson, inWorkspacesOf } from '../database/directory.ts';
import { withBudgets, withSettings } from './budgets/of-workspace.ts';

type Invitee = NonNullable<Viewer['invitee']>;

/** A viewer without a workspace: it has no rows and no permissions, and can only answer invitations. */
export const invited = (invitee: Invitee, credential: Credential, userId: string | null = null): Viewer => ({
  workspaceId: '',
  role: 'invited',
  credential,
  userId,
  membershipId: null,
  appId: null,
  invitee,
});

/** What to do with a member of several workspaces whose token names none: refuse it, or treat it as acting in none. */
type InSeveral = 'refused' | 'invited';

/**
 * Returns the viewer with this verified email: the member, in `workspace` or else in their only workspace, or a person
 * who has only invitations to answer. Pending memberships do not count. Throws 401 `unauthorized`.
 */
export async function viewerOfPerson(
  database: Database,
  email: string,
  { workspace, inSeveral = 'refused' }: { workspace?: string | undefined; inSeveral?: InSeveral } = {},
): Promise<Viewer> {
  const person = workspace ? null : await findPerson(database, email);
  const membersIn = (workspaceIds: string[] | null) =>
    database.membership.findMany({
      where: {
        ...(workspaceIds && inWorkspacesOf(workspaceIds)),
        user: { email, invitedTo: '' },
        acceptedAt: { not: null },
      },
      take: 2,
      include: { workspace: withSettings },
    });
  let members: Awaited<ReturnType<typeof membersIn>> = [];
  if (workspace) members = await membersIn([workspace]);
  else if (person) {
    if (person.workspaceIds.length > 0) members = await membersIn(person.workspaceIds);
    // The directory may lack what an older gateway wrote.
    if (members.length === 0) members = await membersIn(null);
  }
  const [member, another] = members;
  if (another && inSeveral === 'invited') return invited({ email }, 'person', another.userId);
  if (another)
    throw unauthorized(
      'This person is a member of several workspaces: the token must name one in its claim `workspace`.',
    );
  if (member) {
    const { id, workspaceId, userId, role } = member;
    const of = { credential: 'person', membershipId: id, appId: null, invitee: { email } } as const;
    return withBudgets({ workspaceId, role, userId, ...of }, member.workspace);
  }
  if (!(await isInvited(database, email))) {
    throw unauthorized(
      'Nobody with this email is a member of a workspace or invited to one: ask an owner for an invitation.',
    );
  }
  const { userId } = (workspace ? await findPerson(database, email) : person) ?? {};
  return invited({ email }, 'person', userId);
}

/**
 * Prisma condition for the invitations of an email that its owner may still answer: pending ones, and those that a link
 * accepted for them. Each has an entry of its own for the email, which names the workspace.
 */
export async function answerableInvitations(database: Database | Transaction, email: string) {
  const entry = { email, invitedTo: { not: '' } };
  const entries = await database.user.findMany({ where: entry, select: { invitedTo: true } });
  return { ...inWorkspacesOf(entries.map(({ invitedTo }) => invitedTo)), user: entry };
}

/** Whether an email has an invitation to answer, in the given workspace if one is named. */
export async function isInvited(database: Database, email: string, workspaceId?: string): Promise<boolean> {
  const where = { ...(await answerableInvitations(database, email)), ...(workspaceId && { workspaceId }) };
  return (await database.membership.findFirst({ where, select: { id: true } })) !== null;
}

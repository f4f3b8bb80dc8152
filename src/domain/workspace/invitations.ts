import type { z } from 'zod';
import { invitationOfLink, linkSecrets } from '../../auth/invitation-links.ts';
import { answerableInvitations } from '../../auth/invited.ts';
import { addressOf } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { searchedEmails } from '../../core/contacts/emails.ts';
import { conflict, forbidden, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { afterCommit, type Transaction, transact } from '../../database/client.ts';
import { addToDirectory } from '../../database/directory.ts';
import type { MemberRole, Membership, Prisma } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { foldName } from '../../text/fold.ts';
import { parseInput } from '../shared/input.ts';
import {
  accepted,
  createPerson,
  lockOwners,
  lockPerson,
  memberRole,
  personInput,
  personWithEmail,
  requireOtherOwner,
} from './memberships.ts';

/** How long the link of an invitation is valid, in milliseconds. */
const linkLifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** A link for the inviter to pass on. Its secret, after the `#`, is not stored. */
export type InvitationLink = { url: string; expiresAt: Date };
type LinkColumns = Pick<Membership, 'linkHash' | 'linkExpiresAt'>;
type Invited = { membership: Membership; link: InvitationLink };

/** An invitation as shown to the invitee, who is not a member of the workspace. */
export type Invitation = {
  membershipId: string;
  workspaceId: string;
  workspaceName: string;
  role: MemberRole;
  name: string;
  email: string;
  createdAt: Date;
  acceptedAt: Date | null;
};

const invitation = personInput.extend({ role: memberRole });

/**
 * Invites a person. Until they accept, the membership is pending and has only the data given here: whether a person
 * with that email exists is not revealed. Throws 400, 409 `conflict` if they are a member or already invited, and 403
 * if an admin invites an owner.
 */
export async function inviteMember(context: Context, input: z.input<typeof invitation>): Promise<Invited> {
  permit(context, 'memberships.write');
  const { role, ...person } = parseInput(invitation, input);
  if (role === 'owner') permit(context, 'owners.write');
  const { workspaceId } = context.viewer;
  const { link, columns } = await newLink(context);
  const membership = await transact(context.database, async (tx) => {
    await lockPerson(tx, person.email);
    const member = await tx.membership.findFirst({
      where: { workspaceId, ...accepted, user: { email: person.email } },
      select: { id: true },
    });
    if (member) throw conflict('email: this person is already a member of the workspace.');
    const [given] = await tx.user.createManyAndReturn({
      data: {
        ...person,
        id: newId('user'),
        invitedTo: workspaceId,
        searchText: foldName(person.name, ...searchedEmails(person.email)),
      },
      skipDuplicates: true,
    });
    if (!given)
      throw conflict(
        'email: this person is already invited; the GraphQL mutation renewInvitationLink returns a new link.',
      );
    const data = { id: newId('membership'), workspaceId, userId: given.id, role, acceptedAt: null, ...columns };
    return tx.membership.create({ data });
  });
  return { membership, link };
}

/**
 * Replaces the link of a pending invitation; the old one stops working. Throws 403, 404, and 409 if it was accepted.
 */
export async function renewInvitationLink(context: Context, id: string): Promise<Invited> {
  permit(context, 'memberships.write');
  const { workspaceId } = context.viewer;
  const where = { workspaceId_id: { workspaceId, id } };
  const found = await context.database.membership.findUnique({ where, select: { role: true } });
  if (!found) throw notFound('Membership');
  if (found.role === 'owner') permit(context, 'owners.write');
  const { link, columns } = await newLink(context);
  const [membership] = await context.database.membership.updateManyAndReturn({
    where: { workspaceId, id, role: found.role, acceptedAt: null },
    data: columns,
  });
  if (!membership) throw conflict('This invitation has already been answered.');
  await afterCommit(context.database, context.tokens.forget);
  return { membership, link };
}

async function newLink(context: Context): Promise<{ link: InvitationLink; columns: LinkColumns }> {
  const { config, now, viewer } = context;
  const { secret, secretHash: linkHash } = linkSecrets.create();
  await addToDirectory(context, viewer.workspaceId, [linkHash]);
  const expiresAt = new Date(now().getTime() + linkLifetimeMs);
  return {
    link: { url: `${addressOf(config)}/invitation#${secret}`, expiresAt },
    columns: { linkHash, linkExpiresAt: expiresAt },
  };
}

/** Returns the invitations that the viewer may answer, newest first, at most 100. */
export async function listInvitations(context: Context): Promise<Invitation[]> {
  if (!context.viewer.invitee) return [];
  const rows = await context.database.membership.findMany({
    where: await answerable(context),
    include: shown,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 100,
  });
  return rows.map(invitationOf);
}

/**
 * Accepts an invitation. With a token of their own, the invitee becomes a member as the person with that email, created
 * if new. With the link, if no such person exists, they become one known to this workspace alone: anyone may have the
 * link, so the owner of the email can still answer and take the membership over. Throws 403, 404, and 409 for a link if
 * that person exists and must accept with their own token.
 */
export async function acceptInvitation(context: Context, id: string): Promise<Invitation> {
  const where = { id, ...(await answerable(context)) };
  const acceptedByLink = isByLink(context);
  const done = await transact(context.database, async (tx) => {
    const { workspaceId, userId: givenId, user: given } = await findInvitation(tx, where);
    await lockPerson(tx, given.email);
    const person = await tx.user.findUnique({ where: personWithEmail(given.email), select: { id: true } });
    if (person && acceptedByLink) {
      throw conflict('This email already has an account: accept with a token of your own instead of the link.');
    }
    const userId = acceptedByLink ? givenId : (person ?? (await createPerson(tx, given))).id;
    await addToDirectory({ ...context, database: tx }, workspaceId, [userId]);
    const answer = { acceptedAt: context.now(), acceptedByLink, userId, linkHash: null, linkExpiresAt: null };
    const { count } = await tx.membership.updateMany({ where: { ...where, workspaceId }, data: answer });
    if (count === 0) throw notFound('Invitation');
    if (userId !== givenId) await tx.user.delete({ where: { id: givenId } });
    return tx.membership.findUniqueOrThrow({ where: { workspaceId_id: { workspaceId, id } }, include: shown });
  });
  await afterCommit(context.database, context.tokens.forget);
  return invitationOf(done);
}

/**
 * Declines an invitation and deletes it. Throws 403, 404, and 409 if it was accepted by link and made the last owner.
 */
export async function declineInvitation(context: Context, id: string): Promise<void> {
  const where = { id, ...(await answerable(context)) };
  await transact(context.database, async (tx) => {
    const found = await findInvitation(tx, where);
    const { userId, workspaceId } = found;
    await lockOwners(tx, workspaceId);
    if (found.role === 'owner' && found.acceptedAt) await requireOtherOwner(tx, workspaceId, id);
    const { count } = await tx.membership.deleteMany({ where: { ...where, workspaceId } });
    if (count === 0) throw notFound('Invitation');
    await tx.user.deleteMany({ where: { id: userId, invitedTo: { not: '' } } });
  });
  await afterCommit(context.database, context.tokens.forget);
}

const shown = { user: true, workspace: { select: { name: true } } } satisfies Prisma.MembershipInclude;
type Shown = Prisma.MembershipGetPayload<{ include: typeof shown }>;

async function findInvitation(tx: Transaction, where: Prisma.MembershipWhereInput): Promise<Shown> {
  const found = await tx.membership.findFirst({ where, include: shown });
  if (!found) throw notFound('Invitation');
  return found;
}

/** Selects the invitations that the viewer may answer. Throws 403 if they may answer none. */
async function answerable({ database, viewer, now }: Context): Promise<Prisma.MembershipWhereInput> {
  const { invitee } = viewer;
  if (!invitee) {
    throw forbidden('Only the invited person can answer, with a token of their own or the link.');
  }
  if (!('linkHash' in invitee)) return answerableInvitations(database, invitee.email);
  return { workspaceId: invitee.workspaceId, ...invitationOfLink(invitee.linkHash, now()) };
}

const isByLink = ({ viewer }: Context): boolean => viewer.invitee !== undefined && 'linkHash' in viewer.invitee;

const invitationOf = ({ id, workspaceId, workspace, role, user, createdAt, acceptedAt }: Shown): Invitation => ({
  membershipId: id,
  workspaceId,
  workspaceName: workspace.name,
  role,
  name: user.name,
  email: user.email,
  createdAt,
  acceptedAt,
});

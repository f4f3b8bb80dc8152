import type { z } from 'zod';
import { invitationOfLink, newLinkSecret } from '../../auth/invitation-links.ts';
import { unproven } from '../../auth/invited.ts';
import { addressOf } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { conflict, forbidden, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { afterCommit, type Transaction, transact } from '../../database/client.ts';
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

/** How long the link of an invitation can be used, in milliseconds. */
const linkLifeMs = 7 * 24 * 60 * 60 * 1000;

/** What an inviter passes on. Its secret, behind the `#`, is kept nowhere. */
export type InvitationLink = { url: string; expiresAt: Date };
type LinkColumns = Pick<Membership, 'linkHash' | 'linkExpiresAt'>;
type Invited = { membership: Membership; link: InvitationLink };

/** An invitation as whoever is invited sees it: they are no member of the workspace. */
export type Invitation = {
  id: string;
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
 * Invites somebody. The membership is pending until they accept, and until then holds what is given here alone: whether
 * there is a person with that email is not looked at. Throws 409 `conflict` for a member and for whoever is invited
 * already, 403 when an admin invites an owner.
 */
export async function inviteMember(context: Context, input: z.input<typeof invitation>): Promise<Invited> {
  permit(context, 'memberships.write');
  const { role, ...person } = parseInput(invitation, input);
  if (role === 'owner') permit(context, 'owners.write');
  const { workspaceId } = context.viewer;
  const { link, columns } = newLink(context);
  const membership = await transact(context.database, async (tx) => {
    await lockPerson(tx, person.email);
    const member = await tx.membership.findFirst({
      where: { workspaceId, ...accepted, user: { email: person.email } },
      select: { id: true },
    });
    if (member) throw conflict('email: this person is a member of the workspace already.');
    const [given] = await tx.user.createManyAndReturn({
      data: {
        ...person,
        id: newId('user'),
        invitedTo: workspaceId,
        searchText: foldName(person.name, person.email),
      },
      skipDuplicates: true,
    });
    if (!given) throw conflict('email: this person is invited already; renewInvitationLink gives a new link.');
    const data = { id: newId('membership'), workspaceId, userId: given.id, role, acceptedAt: null, ...columns };
    return tx.membership.create({ data });
  });
  return { membership, link };
}

/** A new link for an invitation that is not answered yet; the old one stops working. Throws 404, and 409 for a member. */
export async function renewInvitationLink(context: Context, id: string): Promise<Invited> {
  permit(context, 'memberships.write');
  const { workspaceId } = context.viewer;
  const where = { workspaceId_id: { workspaceId, id } };
  const found = await context.database.membership.findUnique({ where, select: { role: true } });
  if (!found) throw notFound('Membership');
  if (found.role === 'owner') permit(context, 'owners.write');
  const { link, columns } = newLink(context);
  const [membership] = await context.database.membership.updateManyAndReturn({
    where: { workspaceId, id, role: found.role, acceptedAt: null },
    data: columns,
  });
  if (!membership) throw conflict('This invitation was answered already.');
  await afterCommit(context.database, context.tokens.forget);
  return { membership, link };
}

function newLink({ config, now }: Context): { link: InvitationLink; columns: LinkColumns } {
  const { secret, linkHash } = newLinkSecret();
  const expiresAt = new Date(now().getTime() + linkLifeMs);
  return {
    link: { url: `${addressOf(config)}/invitation#${secret}`, expiresAt },
    columns: { linkHash, linkExpiresAt: expiresAt },
  };
}

/** The invitations that the bearer may answer, newest first: at most 100. */
export async function listInvitations(context: Context): Promise<Invitation[]> {
  if (!context.viewer.invitee) return [];
  const rows = await context.database.membership.findMany({
    where: answerable(context),
    include: shown,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 100,
  });
  return rows.map(invitationOf);
}

/**
 * Makes whoever is invited a member: by a token of their own the person with the email of the invitation, who is new where
 * there was none; by the link, where there is none, somebody whom that workspace alone knows. Whoever has the link may be
 * anybody, so the person with the email can still answer, and takes the membership over. Throws 403, 404, and 409 for the
 * link where there is such a person, who has to come themselves.
 */
export async function acceptInvitation(context: Context, id: string): Promise<Invitation> {
  const where = { id, ...answerable(context) };
  const acceptedByLink = isByLink(context);
  const done = await transact(context.database, async (tx) => {
    const { userId: givenId, user: given } = await findInvitation(tx, where);
    await lockPerson(tx, given.email);
    const person = await tx.user.findUnique({ where: personWithEmail(given.email), select: { id: true } });
    if (person && acceptedByLink) {
      throw conflict('This email is known here already: accept by a token of your own instead of the link.');
    }
    const userId = acceptedByLink ? givenId : (person ?? (await createPerson(tx, given))).id;
    const answer = { acceptedAt: context.now(), acceptedByLink, userId, linkHash: null, linkExpiresAt: null };
    const { count } = await tx.membership.updateMany({ where, data: answer });
    if (count === 0) throw notFound('Invitation');
    if (userId !== givenId) await tx.user.delete({ where: { id: givenId } });
    return tx.membership.findUniqueOrThrow({ where: { id }, include: shown });
  });
  await afterCommit(context.database, context.tokens.forget);
  return invitationOf(done);
}

/** Turns an invitation down, which is no more then. Throws 403, 404, and 409 where its link made the last owner. */
export async function declineInvitation(context: Context, id: string): Promise<void> {
  const where = { id, ...answerable(context) };
  await transact(context.database, async (tx) => {
    const found = await findInvitation(tx, where);
    const { userId, workspaceId } = found;
    await lockOwners(tx, workspaceId);
    if (found.role === 'owner' && found.acceptedAt) await requireOtherOwner(tx, workspaceId, id);
    const { count } = await tx.membership.deleteMany({ where });
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

/** The condition for the invitations that the bearer may answer. Throws 403 for one that may answer none. */
function answerable({ viewer: { invitee }, now }: Context): Prisma.MembershipWhereInput {
  if (!invitee) {
    throw forbidden('Only the person who is invited may answer, by a token of their own or by the link.');
  }
  if ('linkHash' in invitee) return invitationOfLink(invitee.linkHash, now());
  return unproven(invitee.email);
}

const isByLink = ({ viewer }: Context): boolean => viewer.invitee !== undefined && 'linkHash' in viewer.invitee;

const invitationOf = ({ id, workspaceId, workspace, role, user, createdAt, acceptedAt }: Shown): Invitation => ({
  id,
  workspaceId,
  workspaceName: workspace.name,
  role,
  name: user.name,
  email: user.email,
  createdAt,
  acceptedAt,
});
